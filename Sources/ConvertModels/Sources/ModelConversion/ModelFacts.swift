// SPDX-License-Identifier: MIT
// ModelFacts.swift -- what all files together say about the classes.

import SwiftSyntax

/// One class as its declaration has it.
struct ClassFacts {
    let name: String
    /// The first type behind the colon, as its declaration has it.
    let superclass: String?
    /// Whether it says `override class func primaryKey()` or the like, which only models do.
    let hasModelFunctions: Bool
    /// The properties of the types `RealmOptional` and `RealmProperty`.
    let boxes: Set<String>
}

/// Everything that has to be known before a file can be converted.
struct ModelFacts {
    private(set) var classes: [String: ClassFacts] = [:]
    /// The names of all properties, of whatever type they belong to, that are no boxes.
    private(set) var plainNames: Set<String> = []
    private(set) var boxNames: Set<String> = []
    /// Enums that an extension makes a `RealmEnum`.
    private(set) var extendedEnums: Set<String> = []
    /// Enums that say themselves that they list their cases.
    private(set) var iterableEnums: Set<String> = []

    mutating func add(_ facts: ClassFacts) { classes[facts.name] = facts }

    mutating func add(property name: String, isBox: Bool) {
        if isBox { boxNames.insert(name) } else { plainNames.insert(name) }
    }

    mutating func add(extendedEnum name: String) { extendedEnums.insert(name) }

    mutating func add(iterableEnum name: String) { iterableEnums.insert(name) }

    /// Whether a class is stored: Object or EmbeddedObject is above it.
    func isModel(_ name: String) -> Bool {
        var next: String? = name
        var seen: Set<String> = []
        while let name = next, seen.insert(name).inserted {
            if ModelFacts.roots.contains(name) { return true }
            guard let facts = classes[name] else { return false }
            if facts.hasModelFunctions { return true }
            next = facts.superclass
        }
        return false
    }

    /// The box properties of a class and of those above it.
    func boxes(of name: String) -> Set<String> {
        var boxes: Set<String> = []
        var next: String? = name
        var seen: Set<String> = []
        while let name = next, seen.insert(name).inserted, let facts = classes[name] {
            boxes.formUnion(facts.boxes)
            next = facts.superclass
        }
        return boxes
    }

    static let roots: Set<String> = ["Object", "EmbeddedObject", "AsymmetricObject"]
}

/// Reads one file for ``ModelFacts``.
final class FactCollector: SyntaxVisitor {
    private(set) var facts: ModelFacts

    init(_ facts: ModelFacts) {
        self.facts = facts
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        let members = declarations(in: node.memberBlock.members)
        let names = members.compactMap { $0.as(FunctionDeclSyntax.self) }.filter(isModelFunction).map(\.name.text)
        let boxes = members.compactMap { $0.as(VariableDeclSyntax.self) }.flatMap { $0.bindings }
            .filter { boxed($0) != nil }.compactMap(name)
        facts.add(
            ClassFacts(
                name: node.name.text, superclass: superclass(node), hasModelFunctions: names.contains("primaryKey"),
                boxes: Set(boxes)))
        return .visitChildren
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        if inherited(node.inheritanceClause, "CaseIterable") != nil { facts.add(iterableEnum: node.name.text) }
        return .visitChildren
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        if inherited(node.inheritanceClause, "RealmEnum") != nil {
            facts.add(extendedEnum: ownName(node.extendedType.trimmedDescription))
        }
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.parent?.is(MemberBlockItemSyntax.self) == true else { return .visitChildren }
        for binding in node.bindings {
            if let name = name(binding) { facts.add(property: name, isBox: boxed(binding) != nil) }
        }
        return .visitChildren
    }
}

// MARK: - Reading declarations

/// The declarations of a type, those under `#if` too.
func declarations(in members: MemberBlockItemListSyntax) -> [DeclSyntax] {
    members.flatMap { member -> [DeclSyntax] in
        guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
        return condition.clauses.flatMap { clause -> [DeclSyntax] in
            guard case .decls(let members) = clause.elements else { return [] }
            return declarations(in: members)
        }
    }
}

/// The name of the class above, without that of its module, or of the type around it.
func superclass(_ node: ClassDeclSyntax) -> String? {
    (node.inheritanceClause?.inheritedTypes.first?.type).map { ownName($0.trimmedDescription) }
}

/// The name of a type without those of the types around it and in it, as its declaration has it.
func ownName(_ name: String) -> String {
    let name = name.prefix { $0 != "<" }
    return String(name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? name)
}

/// The type of that name behind a colon.
func inherited(_ clause: InheritanceClauseSyntax?, _ name: String) -> TypeSyntax? {
    clause?.inheritedTypes.map(\.type).first { withoutModule($0.trimmedDescription) == name }
}

func withoutModule(_ name: String) -> String {
    name.hasPrefix("RealmSwift.") ? String(name.dropFirst("RealmSwift.".count)) : name
}

/// The name of the one variable that a binding declares.
func name(_ binding: PatternBindingSyntax) -> String? {
    binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
}

/// Whether a function is one of those in which a model describes itself.
func isModelFunction(_ node: FunctionDeclSyntax) -> Bool {
    ["primaryKey", "indexedProperties", "ignoredProperties"].contains(node.name.text)
        && node.signature.parameterClause.parameters.isEmpty
        && node.modifiers.contains { ["static", "class"].contains($0.name.text) }
}

/// The names that such a function returns, or nil if more than literals stand there.
func namesReturned(by node: FunctionDeclSyntax) -> [String]? {
    guard let items = node.body?.statements, items.count == 1, let item = items.first?.item else { return nil }
    let returned = item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    guard let returned else { return nil }
    if let array = returned.as(ArrayExprSyntax.self) {
        let names = array.elements.map { literal($0.expression) }
        return names.contains(nil) ? nil : names.compactMap { $0 }
    }
    if returned.is(NilLiteralExprSyntax.self) { return [] }
    return literal(returned).map { [$0] }
}

/// The text of a string literal or of `#keyPath(Class.property)`.
func literal(_ expression: ExprSyntax) -> String? {
    if let string = expression.as(StringLiteralExprSyntax.self) { return string.representedLiteralValue }
    guard let macro = expression.as(MacroExpansionExprSyntax.self) else { return nil }
    return keyPath(macro)
}

/// What `#keyPath(Class.property.property)` means as text.
func keyPath(_ macro: MacroExpansionExprSyntax) -> String? {
    guard macro.macroName.text == "keyPath", let path = macro.arguments.first?.expression else { return nil }
    var names: [String] = []
    var next: ExprSyntax? = path
    while let member = next?.as(MemberAccessExprSyntax.self) {
        names.insert(member.declName.baseName.text, at: 0)
        next = member.base
    }
    let first = next?.as(DeclReferenceExprSyntax.self)?.baseName.text
    if let first, first != "self", first.first?.isUppercase == false {
        names.insert(first, at: 0)
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
}

// MARK: - Types of properties

/// A generic class that a property holds: its name, the types in angle brackets, and what it is made with.
struct Container {
    let name: String
    let arguments: [String]
    let call: LabeledExprListSyntax?
}

/// The container of a property by its type or by what it is made with, or nil if its type is another.
func container(_ binding: PatternBindingSyntax) -> Container? {
    let call = binding.initializer?.value.as(FunctionCallExprSyntax.self)
    var made: (name: String, arguments: [String])?
    if var callee = call?.calledExpression {
        if let member = callee.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "init",
            let made = member.base
        {
            callee = made
        }
        if let generic = callee.as(GenericSpecializationExprSyntax.self) {
            made = (
                withoutModule(generic.expression.trimmedDescription),
                generic.genericArgumentClause.arguments.map { $0.argument.trimmedDescription }
            )
        } else {
            made = (withoutModule(callee.trimmedDescription), [])
        }
    }
    if let type = binding.typeAnnotation?.type {
        guard let written = written(type) else { return nil }
        return Container(name: written.name, arguments: written.arguments, call: call?.arguments)
    }
    guard let made, containers.contains(made.name) else { return nil }
    return Container(name: made.name, arguments: made.arguments, call: call?.arguments)
}

private func written(_ type: TypeSyntax) -> (name: String, arguments: [String])? {
    let clause =
        type.as(IdentifierTypeSyntax.self)?.genericArgumentClause
        ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
    guard let clause else { return nil }
    let name = withoutModule(String(type.trimmedDescription.prefix { $0 != "<" }))
    return containers.contains(name) ? (name, clause.arguments.map { $0.argument.trimmedDescription }) : nil
}

/// The type of the value in a box, or nil if a property is none.
func boxed(_ binding: PatternBindingSyntax) -> String? {
    guard let container = container(binding), let type = container.arguments.first else { return nil }
    switch container.name {
    case "RealmOptional": return type + "?"
    case "RealmProperty": return type
    default: return nil
    }
}

private let containers: Set<String> = ["List", "MutableSet", "Map", "LinkingObjects", "RealmOptional", "RealmProperty"]
