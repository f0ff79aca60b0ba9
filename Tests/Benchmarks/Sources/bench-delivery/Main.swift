// SPDX-License-Identifier: MIT
// Main.swift -- how long it takes from a commit to the closure that is told of it.
//
//   bench-delivery measure FOLDER [N=1000000] [ROUNDS=8] [SEED=n] [WAYS=way,...] [KINDS=kind,...]
//   bench-delivery write FILE    is what "measure" starts as another process
//
// Files are made in FOLDER and stay there. Ways and kinds are those of Cell.swift. Each delivery is compared with what
// it should be; the first one that is wrong, or does not come, ends the program.

import Foundation

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("bench-delivery: \(message)\n".utf8))
    exit(1)
}

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            switch CommandLine.arguments.dropFirst().first {
            case "measure": measure(try Options(CommandLine.arguments.dropFirst(2)))
            case "write": try ProcessWriter.run(URL(fileURLWithPath: CommandLine.arguments.last!))
            default: fail("measure or write?")
            }
        } catch {
            fail("\(error)")
        }
    }

    /// The main thread has to run its loop.
    private static func measure(_ options: Options) -> Never {
        print("seed \(options.seed), \(options.rounds) rounds of \(Measurement.deliveries) deliveries")
        fflush(nil)
        Thread.detachNewThread {
            do {
                var measurement = try Measurement(options)
                try measurement.run()
                measurement.print()
                exit(0)
            } catch {
                fail("\(error)")
            }
        }
        while true { RunLoop.main.run() }
    }
}
