// SPDX-License-Identifier: MIT
// Facets.swift -- facets.

import ArgumentParser
import CStrata

struct Facets: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell which values a property has, and how many objects have each.",
        discussion: """
            EXAMPLES
              strata facets zoo.realm Dog age
              strata facets zoo.realm "Dog where age > 3" name --limit 5

            The commonest values come first, of equally common ones the least. A link is told by the \
            primary key of what it leads to, if that has one.
            """)

    @OptionGroup var file: FileArgument
    @Argument(help: "A class, or a query.", completion: .custom(completeQuery))
    var query: String
    @Argument(help: "The property, which holds a single value.", completion: .custom(completeProperty))
    var property: String
    @Option(name: .shortAndLong, help: "At most so many values, up to 1,000.")
    var limit: UInt32 = 20
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if !(1...1000).contains(limit) { throw ValidationError("--limit is from 1 to 1,000") }
    }

    func run() throws {
        let open = try StoreFile(file.file)
        let catalog = Catalog(open)
        let found = try FileQuery(QueryText(query), catalog, open)
        let column = try found.table.property(property)
        if let refusal = FileQuery.refusesFacets(column) { throw Failure(.usage, refusal) }
        let primary = catalog.tables.first { $0.number == column.target }?.primary
        try found.facet(of: [column] + (primary.map { [$0] } ?? []), values: limit, bins: 0, show)
    }

    private func show(_ facet: strata_facet) throws {
        if facet.too_many {
            throw Failure(
                .usage, "\(property) has too many different values among these objects, or too large ones: "
                    + "name fewer objects, by a condition")
        }
        let values = UnsafeBufferPointer(start: facet.values, count: Int(facet.value_count))
        let counted = property == "objects" ? "$objects" : "objects"
        output.write(
            [property, counted], values.map { [ValueWords($0.value).shown, .uint($0.count)] }, right: [1])
        let others = facet.different - UInt64(values.count)
        if others > 0 { Terminal.note("\(grouped(others)) more values; --limit shows more of them") }
    }
}
