// SPDX-License-Identifier: MIT
// ModelFacts.swift -- what all files together say about the classes.

import SwiftSyntax

/// Where a name of a type stands: in a file, inside of types.
struct Scope {
    let file: Int
    /// The names of the types around, the outermost first.
    var types: [String] = []

    func inside(_ names: [String]) -> Scope { Scope(file: file, types: types + names) }
}

/// One class as its declaration has it.
struct ClassFacts {
    /// Where the declaration stands.
    let scope: Scope
    let name: String
    /// The first type behind the colon, as its declaration has it.
    let superclass: String?
    /// Whether it says `override class func primaryKey()` or the like, which only models do.
    let hasModelFunctions: Bool
    /// The properties of the types `RealmOptional` and `RealmProperty` that would be converted.
    let boxes: Set<String>
}

/// Whether objects of a class are stored.
enum Standing {
    case model, other
    /// Several classes can be meant, and they differ in it.
    case unclear
}

/// Everything that has to be known before a file can be converted.
struct ModelFacts {
    /// Classes by their name; modules and types may have classes of the same one.
    private var classes: [String: [ClassFacts]] = [:]
    /// The names of all properties, of whatever type they belong to, that are no boxes, or stay boxes.
    private(set) var plainNames: Set<String> = []
    /// The names of the boxes of models.
    private(set) var boxNames: Set<String> = []
    /// Enums that an extension makes a `RealmEnum`.
    private(set) var extendedEnums: Set<String> = []
    /// Enums that say themselves that they list their cases.
    private(set) var iterableEnums: Set<String> = []

    mutating func add(_ facts: ClassFacts) { classes[facts.name, default: []].append(facts) }

    mutating func add(plain name: String) { plainNames.insert(name) }

    mutating func add(extendedEnum name: String) { extendedEnums.insert(name) }

    mutating func add(iterableEnum name: String) { iterableEnums.insert(name) }

    /// Tells the boxes of models, which become plain values, from others. All classes must be known.
    mutating func sortBoxes() {
        for facts in classes.values.joined() {
            if standing(of: facts) == .model {
                boxNames.formUnion(facts.boxes)
            } else {
                plainNames.formUnion(facts.boxes)
            }
        }
    }

    // MARK: Classes

    func isModel(_ name: String, in scope: Scope) -> Bool { standing(of: name, in: scope) == .model }

    /// Whether the class that a name means is stored.
    func standing(of name: String, in scope: Scope) -> Standing { standing(of: name, in: scope, behind: 0) }

    /// Whether a class is stored: Object or EmbeddedObject is above it.
    func standing(of facts: ClassFacts) -> Standing { standing(of: facts, behind: 0) }

    /// - Parameter depth: how many classes were passed; more than there are means that they go round in a circle.
    private func standing(of name: String, in scope: Scope, behind depth: Int) -> Standing {
        let found = candidates(name, in: scope)
        var standings = Set(found.map { standing(of: $0, behind: depth + 1) })
        let isRoot = ModelFacts.roots.contains(withoutModule(name))
        if isRoot, !found.contains(where: { $0.scope.file == scope.file || !$0.scope.types.isEmpty }) {
            standings.insert(.model)
        }
        return standings.count > 1 ? .unclear : standings.first ?? .other
    }

    private func standing(of facts: ClassFacts, behind depth: Int) -> Standing {
        if facts.hasModelFunctions { return .model }
        guard let superclass = facts.superclass, depth < 100 else { return .other }
        return standing(of: superclass, in: facts.scope, behind: depth)
    }

    /// The classes that a name may mean: of those in the nearest type around it, the ones of the same file go first. A
    /// name of which nothing is in these types is looked for everywhere, since it may be inherited.
    private func candidates(_ name: String, in scope: Scope) -> [ClassFacts] {
        let parts = typeNames(name)
        guard let last = parts.last, parts[0] != "RealmSwift", let named = classes[last] else { return [] }
        for count in (0...scope.types.count).reversed() {
            let around = scope.types.prefix(count) + parts.dropLast()
            let found = named.filter { $0.scope.types.elementsEqual(around) }
            if !found.isEmpty { return nearest(found, to: scope) }
        }
        if ModelFacts.roots.contains(name) { return [] }
        // The first name may be that of a module.
        let around = parts.dropFirst().dropLast()
        return nearest(named.filter { $0.scope.types.suffix(around.count).elementsEqual(around) }, to: scope)
    }

    private func nearest(_ found: [ClassFacts], to scope: Scope) -> [ClassFacts] {
        let own = found.filter { $0.scope.file == scope.file }
        return own.isEmpty ? found : own
    }

    /// The box properties of the class that a name means, and of those above it.
    func boxes(of name: String, in scope: Scope) -> Set<String> { boxes(of: candidates(name, in: scope), behind: 0) }

    func boxes(of facts: ClassFacts) -> Set<String> { boxes(of: [facts], behind: 0) }

    /// The box properties that all of some classes have.
    private func boxes(of classes: [ClassFacts], behind depth: Int) -> Set<String> {
        let sets = classes.map { facts in
            guard let superclass = facts.superclass, depth < 100 else { return facts.boxes }
            return facts.boxes.union(boxes(of: candidates(superclass, in: facts.scope), behind: depth + 1))
        }
        return sets.dropFirst().reduce(sets.first ?? []) { $0.intersection($1) }
    }

    static let roots: Set<String> = [
        "Object", "EmbeddedObject", "AsymmetricObject", "RealmSwiftObject", "RealmSwiftEmbeddedObject",
    ]
}

/// What a class says about itself.
func classFacts(_ node: ClassDeclSyntax, in scope: Scope) -> ClassFacts {
    let members = declarations(in: node.memberBlock.members)
    let names = members.compactMap { $0.as(FunctionDeclSyntax.self) }.filter(isModelFunction).map(\.name.text)
    let boxes = members.compactMap { $0.as(VariableDeclSyntax.self) }.flatMap { $0.bindings }
        .filter(isConvertedBox).compactMap(name)
    return ClassFacts(
        scope: scope, name: node.name.text, superclass: superclass(node),
        hasModelFunctions: names.contains("primaryKey"),
        boxes: Set(boxes).subtracting(ignoredNames(members)))
}

/// Reads one file for ``ModelFacts``.
final class FactCollector: ScopeVisitor {
    private(set) var facts: ModelFacts

    init(_ facts: ModelFacts, file: Int) {
        self.facts = facts
        super.init(file: file)
    }

    override func enter(_ node: ClassDeclSyntax) { facts.add(classFacts(node, in: around)) }

    override func enter(_ node: EnumDeclSyntax) {
        if inherited(node.inheritanceClause, "CaseIterable") != nil { facts.add(iterableEnum: node.name.text) }
    }

    override func enter(_ node: ExtensionDeclSyntax) {
        if inherited(node.inheritanceClause, "RealmEnum") != nil {
            facts.add(extendedEnum: ownName(node.extendedType.trimmedDescription))
        }
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.parent?.is(MemberBlockItemSyntax.self) == true else { return .visitChildren }
        for binding in node.bindings {
            if let name = name(binding), !isBoxOfClass(node, binding) { facts.add(plain: name) }
        }
        return .visitChildren
    }
}

/// Whether the facts of a class have a property as a box.
private func isBoxOfClass(_ node: VariableDeclSyntax, _ binding: PatternBindingSyntax) -> Bool {
    guard isConvertedBox(binding), let name = name(binding) else { return false }
    var around = node.parent
    while let next = around, !next.is(MemberBlockSyntax.self) { around = next.parent }
    guard let block = around?.as(MemberBlockSyntax.self), block.parent?.is(ClassDeclSyntax.self) == true else {
        return false
    }
    return !ignoredNames(declarations(in: block.members)).contains(name)
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

/// The name of the class above.
func superclass(_ node: ClassDeclSyntax) -> String? {
    node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
}

/// The names of a type and of those around it, the outermost first, without the types in angle brackets.
func typeNames(_ name: String) -> [String] {
    var depth = 0
    let plain = name.filter { sign in
        if sign == "<" { depth += 1 }
        defer { if sign == ">" { depth -= 1 } }
        return depth == 0 && !sign.isWhitespace
    }
    return plain.split(separator: ".").map(String.init)
}

/// The name of a type without those of the types around it and in it, as its declaration has it.
func ownName(_ name: String) -> String { typeNames(name).last ?? name }

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

/// The properties that a class leaves out, as far as they are literals.
private func ignoredNames(_ members: [DeclSyntax]) -> [String] {
    let functions = members.compactMap { $0.as(FunctionDeclSyntax.self) }.filter(isModelFunction)
    return functions.first { $0.name.text == "ignoredProperties" }.flatMap(namesReturned) ?? []
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

/// Whether a property is a box that gets its first value in a closure, of which no value can be made.
func isMadeByClosure(_ binding: PatternBindingSyntax) -> Bool {
    let call = binding.initializer?.value.as(FunctionCallExprSyntax.self)
    return boxed(binding) != nil && call?.calledExpression.is(ClosureExprSyntax.self) == true
}

/// Whether a property is a box that becomes a plain value.
private func isConvertedBox(_ binding: PatternBindingSyntax) -> Bool {
    boxed(binding) != nil && !isMadeByClosure(binding)
}

private let containers: Set<String> = ["List", "MutableSet", "Map", "LinkingObjects", "RealmOptional", "RealmProperty"]
