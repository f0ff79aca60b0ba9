// SPDX-License-Identifier: MIT
// PropertyConversion.swift -- how one property is written with `@Persisted`.

import SwiftSyntax

/// What the functions of a class say about its properties.
struct PropertyNames {
    var primaryKey: String?
    var indexed: Set<String> = []
    var ignored: Set<String> = []
}

/// A property in its new form.
struct PersistedProperty {
    /// The attribute: `@Persisted(primaryKey: true)`. Empty for one that is not stored, beside others that are.
    let attribute: String
    /// What stands behind `var`: name, type, first value, observers.
    let binding: String
    /// What a person has to decide.
    let questions: [String]
}

/// Why a property of a class of the older style is stored, if it is.
enum Storing {
    /// It is `@objc dynamic`, or `dynamic` in a class of `@objcMembers`.
    case dynamic
    /// It holds a list, set, map, box or linking objects, which need no mark.
    case container
    /// It is visible to Objective-C, but not dynamic.
    case visible
    case no
}

/// Whether and why a property is stored.
func storing(_ node: VariableDeclSyntax, inObjcMembers: Bool) -> Storing {
    let modifiers = Set(node.modifiers.map(\.name.text))
    guard modifiers.isDisjoint(with: ["static", "class", "lazy"]), !node.bindings.contains(where: isComputed) else {
        return .no
    }
    if attributes(node).contains(where: { !isVisibility($0) }) { return .no }
    if node.bindings.allSatisfy({ container($0) != nil }) { return .container }
    guard node.bindingSpecifier.text == "var" else { return .no }
    let isVisible = inObjcMembers || attributes(node).contains("objc")
    if modifiers.contains("dynamic") { return .dynamic }
    return isVisible && modifiers.isDisjoint(with: ["private", "fileprivate"]) ? .visible : .no
}

/// Whether an attribute does not make a property one of another kind.
func isVisibility(_ attribute: String) -> Bool { ["objc", "available", "nonobjc"].contains(attribute) }

func attributes(_ node: VariableDeclSyntax) -> [String] {
    node.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
}

func isComputed(_ binding: PatternBindingSyntax) -> Bool {
    switch binding.accessorBlock?.accessors {
    case nil: false
    case .getter: true
    case .accessors(let list): !list.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
}

/// The name of a property without the quotes that a word of the language stands in.
func plainName(_ binding: PatternBindingSyntax) -> String? { name(binding)?.filter { $0 != "`" } }

/// Writes one property anew.
///
/// - Parameter type: the type that stands behind a later name of the same declaration: `var a, b: Int`.
func persisted(
    _ binding: PatternBindingSyntax, sharing type: TypeSyntax?, _ names: PropertyNames, _ isModel: (String) -> Bool
) -> PersistedProperty? {
    guard let name = name(binding), let plain = plainName(binding) else { return nil }
    var options: [String] = []
    if names.primaryKey == plain {
        options.append("primaryKey: true")
    } else if names.indexed.contains(plain) {
        options.append("indexed: true")
    }
    var questions: [String] = []
    var text: String
    if let container = container(binding) {
        text = name + declared(container, binding, &options, &questions)
    } else {
        text = name + declared(binding, type, isModel, &questions)
    }
    if let observers = binding.accessorBlock {
        text += " " + observers.trimmedDescription
        questions.append("Realm did not run the observers of \(plain) for stored objects; here each assignment does")
    }
    let attribute = options.isEmpty ? "@Persisted" : "@Persisted(\(options.joined(separator: ", ")))"
    return PersistedProperty(attribute: attribute, binding: text, questions: questions)
}

/// Writes a property that is not stored by itself, as it was declared together with others.
func leftOut(_ binding: PatternBindingSyntax, sharing type: TypeSyntax?) -> PersistedProperty? {
    guard let name = name(binding) else { return nil }
    let declared = (binding.typeAnnotation?.type ?? type).map { ": \($0.trimmedDescription)" } ?? ""
    let value = binding.initializer.map { " \($0.trimmedDescription)" } ?? ""
    let observers = binding.accessorBlock.map { " \($0.trimmedDescription)" } ?? ""
    return PersistedProperty(attribute: "", binding: name + declared + value + observers, questions: [])
}

/// Type and first value of a property that holds a container.
private func declared(
    _ container: Container, _ binding: PatternBindingSyntax, _ options: inout [String], _ questions: inout [String]
) -> String {
    switch container.name {
    case "LinkingObjects":
        let call = container.call.map(Array.init) ?? []
        let origin = call.first { $0.label?.text == "property" }.map(\.expression)
        if let property = origin.flatMap(literal) {
            options.append("originProperty: \"\(property)\"")
        } else {
            questions.append("name the property that links here: @Persisted(originProperty: \"...\")")
        }
        let type = call.first { $0.label?.text == "fromType" }?.expression.trimmedDescription
        let element = container.arguments.first ?? type.map { $0.replacingSuffix(".self", with: "") } ?? "Object"
        return ": LinkingObjects<\(element)>"
    case "RealmOptional", "RealmProperty":
        let type = boxed(binding) ?? "Int?"
        let value = container.call?.first?.expression
        let isNil = value?.is(NilLiteralExprSyntax.self) == true
        return ": \(type)" + (value.map { isNil ? "" : " = \($0.trimmedDescription)" } ?? "")
    default:
        let type = "\(container.name)<\(container.arguments.joined(separator: ", "))>"
        guard container.call?.isEmpty == false, let made = binding.initializer?.value else { return ": \(type)" }
        return ": \(type) = \(made.trimmedDescription)"
    }
}

/// Type and first value of any other property.
private func declared(
    _ binding: PatternBindingSyntax, _ shared: TypeSyntax?, _ isModel: (String) -> Bool, _ questions: inout [String]
) -> String {
    var text = ""
    let type = (binding.typeAnnotation?.type ?? shared)?.trimmedDescription
    let value = binding.initializer?.value
    if let type {
        text += ": " + swiftType(type, &questions)
        if isModel(type) { questions.append("a property that links to one object is Optional: \(type)?") }
    } else if let call = value?.as(FunctionCallExprSyntax.self) {
        let callee = call.calledExpression.trimmedDescription
        if isModel(callee) { questions.append("a property that links to one object is Optional: \(callee)?") }
        if foundation[callee] != nil { questions.append("Realm stored \(callee) as \(foundation[callee]!)") }
    }
    if let value, !(value.is(NilLiteralExprSyntax.self) && type?.hasSuffix("?") == true) {
        text += " = " + swiftValue(value)
    }
    return text
}

/// "Date()" for "NSDate()", which is no value of the type that is stored.
private func swiftValue(_ value: ExprSyntax) -> String {
    guard let call = value.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
        let stored = foundation[call.calledExpression.trimmedDescription], !stored.contains(" ")
    else { return value.trimmedDescription }
    return stored + "()"
}

private let foundation = ["NSString": "String", "NSDate": "Date", "NSData": "Data", "NSNumber": "Int, Double or Bool"]

/// The type of Swift for one of Foundation that Realm stored as such.
private func swiftType(_ type: String, _ questions: inout [String]) -> String {
    let name = type.last == "?" || type.last == "!" ? String(type.dropLast()) : type
    guard let stored = foundation[name] else { return type }
    questions.append("\(name) was stored as \(stored); what reads the property may have to follow")
    return name == "NSNumber" ? type : stored + type.dropFirst(name.count)
}

extension String {
    func replacingSuffix(_ suffix: String, with text: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + text : self
    }
}
