// SPDX-License-Identifier: MIT
// GenericClasses.swift -- generic classes, and what can be derived from them and nested in them: every realm of these
// tests that is opened without `objectTypes` meets them all.

import Foundation
import Strata

// MARK: Classes that are no models

class Box<Value> {}
/// Its superclass cannot be named without its argument.
class NamedBox<Name>: Box<Name> {}
class ConstrainedBox<Name: NSObject & NSCopying>: NamedBox<[Name]> where Name: NSCoding {}
class CountedBox<let count: Int>: NamedBox<InlineArray<count, Int>> {}
class UnownedBox<Value: ~Copyable> {}
class PackBox<each Value>: NamedBox<(repeat each Value)> {}

class IntBox: NamedBox<Int> {}
class LargeIntBox: IntBox {}
class RecursiveBox: NamedBox<RecursiveBox> {}
class TupleBox: NamedBox<(Int, name: String)> {}
class FunctionBox: NamedBox<@Sendable (Int, inout [String]) async throws -> any Error> {}
class ExistentialBox: NamedBox<any Collection<Int> & Sendable> {}
class MetatypeBox: NamedBox<any Hashable.Type> {}
class ModelBox: NamedBox<Dog?> {}
class FoundationBox: NamedBox<Result<JSONDecoder, CocoaError>> {}
class DateBox: ConstrainedBox<NSDate> {}
class ThreeBox: CountedBox<3> {}
class FileBox: UnownedBox<FileBox.Descriptor> {
    struct Descriptor: ~Copyable {}
}
private class PrivateBox: NamedBox<PrivateBox.Value> {
    struct Value {}
}

/// A subclass of a generic class of the standard library.
class Storage: ManagedBuffer<(count: Int, capacity: Int), UInt8> {}
/// And of a plain class of Foundation.
class Decoder: JSONDecoder, @unchecked Sendable {}

// MARK: Models

/// None itself, because it is no single class.
class Labelled<Label>: Object { @Persisted var value: Int }
class TwiceLabelled<Label>: Labelled<(Label, Label)> { @Persisted var text = "" }
/// The type of its property is that of an argument.
class Holding<Value: RealmCollectionValue>: Object { @Persisted var value: Value }
class EmbeddedLabelled<Label>: EmbeddedObject { @Persisted var value: Int }

class LabelledByInt: Labelled<Int> { @Persisted var own: Double }
class TwiceLabelledByFunction: TwiceLabelled<(Int) -> String> { @Persisted var own: Double }
class BelowLabelledByInt: LabelledByInt { @Persisted var last: Bool }
class HoldingDate: Holding<Date?> {}
class EmbeddedByInt: EmbeddedLabelled<Int> {}
class OwnerOfEmbedded: TwiceLabelled<OwnerOfEmbedded> { @Persisted var part: EmbeddedByInt? }
private class PrivatelyLabelled: TwiceLabelled<any Collection<Int>> {}

// MARK: In a generic context

/// Whatever is declared in here is generic as well.
class Nest<Value> {
    class PlainInNest {}
    class BoxInNest: NamedBox<Value> {}
    class GenericInNest<Other>: NamedBox<(Value, Other)> {}
    class ModelInNest: Object { @Persisted var value: Int }
    class LabelledInNest<Label>: TwiceLabelled<(Value, Label)> {}
    enum Space {
        class ModelInSpace: TwiceLabelled<Value> {}
    }
}

extension Nest where Value == Int {
    class BoxInExtension: NamedBox<Value> {}
    class ModelInExtension: Object { @Persisted var value: Int }
}

extension Array where Element: RealmCollectionValue {
    class ModelInArray: Holding<Element> {}
}

class BelowPlainInNest: Nest<String>.PlainInNest {}
class BelowBoxInExtension: Nest<Int>.BoxInExtension {}
class BelowModelInNest: Nest<String>.ModelInNest {}
class BelowLabelledInNest: Nest<Int>.LabelledInNest<[Int: String]> {}
class BelowModelInSpace: Nest<(Int, Int)>.Space.ModelInSpace {}
class BelowModelInExtension: Nest<Int>.ModelInExtension {}
class BelowModelInArray: [String].ModelInArray {}

enum PlainSpace {
    class LabelledInSpace: TwiceLabelled<Int> {}
}
