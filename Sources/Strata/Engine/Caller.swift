// SPDX-License-Identifier: MIT
// Caller.swift -- the functions of the program that led to a call of the library, for messages.

import Foundation

/// The functions of the program on the stack of the calling thread, by what the files of the process tell: return
/// addresses, and the symbols of the executable.
///
/// Lines are left to the backtrace that Swift's runtime prints when a process crashes. Reading them here would need the
/// library `Runtime`, which every program would then have to ship.
enum Caller {
    /// The names of the innermost functions, such as "Page.rename(to: Swift.String) -> ()"; those of Strata, of the
    /// standard library and of C are left out. Empty if the symbols were stripped.
    static func names(_ limit: Int) -> [String] {
        var names: [String] = []
        var files: [String: ELFSymbols] = [:]
        for frame in Thread.callStackReturnAddresses {
            guard let place = LoadedFile(of: frame.uintValue) else { continue }
            let symbols = files[place.path] ?? ELFSymbols(place.path)
            files[place.path] = symbols
            // A call may be the last instruction of its function.
            guard let symbol = symbols.name(at: place.offset &- 1), isOfProgram(symbol) else { continue }
            names.append(demangled(symbol))
            if names.count == limit { break }
        }
        return names
    }

    /// The modules whose functions are not the program's.
    private static let libraries: Set<Substring> = [
        "Strata", "RealmSwift", "Swift", "_Concurrency", "Dispatch", "Foundation", "FoundationEssentials", "Testing",
        "XCTest",
    ]

    /// Whether a symbol belongs to a Swift module that is neither Strata nor part of Swift, also by an extension of one
    /// of their types.
    private static func isOfProgram(_ symbol: String) -> Bool {
        if symbol == "main" || symbol.hasSuffix("_main") { return true }
        guard symbol.hasPrefix("$s") else { return false }
        if let module = module(symbol.dropFirst(2)), !libraries.contains(module) { return true }
        let modules = demangled(symbol).components(separatedBy: "(extension in ").dropFirst()
        return modules.contains { !libraries.contains($0.prefix { $0 != ")" }) }
    }

    /// The module of what a mangled name begins with; nil for types of the standard library and of C.
    private static func module(_ name: Substring) -> Substring? {
        let digits = name.prefix { $0.isNumber }
        return Int(digits).map { name.dropFirst(digits.count).prefix($0) }
    }

    private typealias Demangle = @convention(c) (
        UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?

    /// A name as it is written in the program, without what the optimizer did to the function.
    private static func demangled(_ symbol: String) -> String {
        guard let demangle = function("swift_demangle", as: Demangle.self),
            let text = symbol.withCString({ demangle($0, strlen($0), nil, nil, 0) })
        else { return symbol }
        defer { free(text) }
        var name = String(cString: text)
        while let head = name.range(of: "> of "), name[..<head.lowerBound].contains("specialization <") {
            name.removeSubrange(..<head.upperBound)
        }
        return name
    }

    /// A function of the process that has no declaration in Swift; nil if it is not found.
    fileprivate static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, name) else { return nil }
        return unsafeBitCast(symbol, to: type)
    }
}

/// Where an address is: in which file, and at which offset.
private struct LoadedFile {
    let path: String
    let offset: UInt

    /// `Dl_info` of the C library.
    private struct Info {
        var file: UnsafePointer<CChar>?
        var base: UnsafeMutableRawPointer?
        var symbol: UnsafePointer<CChar>?
        var address: UnsafeMutableRawPointer?
    }

    private typealias Look = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer) -> CInt
    private typealias AuxiliaryValue = @convention(c) (UInt) -> UInt

    init?(of address: UInt) {
        guard let info = Self.info(address), let file = info.file, let base = info.base else { return nil }
        let path = String(cString: file)
        // The executable is named as it was called, which may be anything. A library of a relative path cannot be found
        // from whichever directory this is.
        let isProgram = base == Self.programBase
        if !isProgram && !path.hasPrefix("/") { return nil }
        self.path = isProgram ? "/proc/self/exe" : path
        offset = address &- UInt(bitPattern: base)
    }

    private static func info(_ address: UInt) -> Info? {
        var info = Info()
        guard let look = Caller.function("dladdr", as: Look.self) else { return nil }
        return look(UnsafeRawPointer(bitPattern: address), &info) == 0 ? nil : info
    }

    /// Where the executable was loaded: its program headers are a part of it.
    private static var programBase: UnsafeMutableRawPointer? {
        let headers: UInt = 3  // AT_PHDR
        return Caller.function("getauxval", as: AuxiliaryValue.self).flatMap { info($0(headers))?.base }
    }
}

/// The functions that the symbol table of an ELF file names. Executables have one that the dynamic linker does not see.
private struct ELFSymbols {
    private let file: Data
    private var symbols: Range<Int> = 0..<0
    private var strings: Range<Int> = 0..<0
    private static let symbolSize = 24, sectionSize = 64

    /// Reads a file of this machine; empty if it is none, or has no symbols.
    init(_ path: String) {
        file = (try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)) ?? Data()
        guard file.count > 64, file.prefix(5).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2]) else { return }
        // Nothing but this reads the sections of a program that runs, so that they may hold anything.
        let start = position(40), count = Int(load(60) as UInt16)
        for section in 0..<count {
            let header = start + section * Self.sectionSize
            guard load(header + 4) as UInt32 == 2 else { continue }  // SHT_SYMTAB
            symbols = extent(header)
            strings = extent(start + Int(load(header + 40) as UInt32) * Self.sectionSize)
        }
    }

    private func extent(_ header: Int) -> Range<Int> {
        let start = position(header + 24)
        return start..<Swift.min(start + position(header + 32), file.count)
    }

    /// A position in the file, or a size; the size of the file if it is outside.
    private func position(_ offset: Int) -> Int {
        Int(Swift.min(load(offset) as UInt64, UInt64(file.count)))
    }

    /// A number in the file; 0 outside of it.
    private func load<Number: FixedWidthInteger>(_ offset: Int) -> Number {
        guard offset >= 0, offset + MemoryLayout<Number>.size <= file.count else { return 0 }
        return file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    /// The function at an offset from where the file was loaded.
    func name(at offset: UInt) -> String? {
        let found = file.withUnsafeBytes { bytes -> Int? in
            let last = symbols.upperBound - Self.symbolSize
            for symbol in stride(from: symbols.lowerBound, through: last, by: Self.symbolSize)
            where bytes[symbol + 4] & 15 == 2 {  // STT_FUNC
                let address = bytes.loadUnaligned(fromByteOffset: symbol + 8, as: UInt.self)
                let size = bytes.loadUnaligned(fromByteOffset: symbol + 16, as: UInt.self)
                if address <= offset && offset < address &+ size {
                    return Int(bytes.loadUnaligned(fromByteOffset: symbol, as: UInt32.self))
                }
            }
            return nil
        }
        guard let found, strings.contains(strings.lowerBound + found) else { return nil }
        let bytes = file[(strings.lowerBound + found)..<strings.upperBound].prefix { $0 != 0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
