// SPDX-License-Identifier: MIT

import DebianRecords

/// Everything in a list: its records and its problems, each in order.
func read(_ text: String) -> (records: [PackageRecord], problems: [RecordProblem]) {
    read(Array(text.utf8))
}

func read(_ bytes: [UInt8]) -> (records: [PackageRecord], problems: [RecordProblem]) {
    var records: [PackageRecord] = []
    var problems: [RecordProblem] = []
    for outcome in RecordReader(bytes, file: "list") {
        switch outcome {
        case .success(let record): records.append(record)
        case .failure(let problem): problems.append(problem)
        }
    }
    return (records, problems)
}

/// A list of packages read from `text`, which must have no problems.
func list(_ texts: String...) -> PackageList {
    var list = PackageList()
    for text in texts {
        for record in read(text).records { list.add(record) }
    }
    return list
}
