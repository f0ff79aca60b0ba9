// SPDX-License-Identifier: MIT
// FileConversion.swift -- the changes that one file needs.

import SwiftSyntax

/// Walks through a file and collects what has to be written otherwise.
final class FileConversion: ScopeVisitor {
    var edits: Edits
    let facts: ModelFacts
    var properties = 0
    /// How many declarations go, and how many come, so that none is lost by mistake.
    private(set) var removed = 0
    var added = 0
    /// The types around the place where the walk is, the innermost last.
    private(set) var types: [TypeAround] = []
    private let imports: Set<String>
    private let enums: Set<String>

    struct TypeAround {
        let isModel: Bool
        /// The properties that are boxes, which can be named here without what they belong to.
        let boxes: Set<String>
    }

    init(_ text: String, _ facts: ModelFacts, _ tree: SourceFileSyntax, file: Int) {
        edits = Edits(text)
        self.facts = facts
        let names = FileNames(viewMode: .sourceAccurate)
        names.walk(tree)
        imports = names.imports
        enums = names.enums
        super.init(file: file)
    }

    /// Says above a declaration or statement what a person has to decide.
    func ask(_ question: String, at node: some SyntaxProtocol) {
        edits.insertComment("FIXME: Strata: \(question)", above: node.positionAfterSkippingLeadingTrivia.utf8Offset)
    }

    func isInModel() -> Bool { types.last?.isModel == true }

    // MARK: Types

    override func enter(_ node: ClassDeclSyntax) {
        let own = classFacts(node, in: around)
        let standing = facts.standing(of: own)
        types.append(TypeAround(isModel: standing == .model, boxes: standing == .model ? facts.boxes(of: own) : []))
        switch standing {
        case .model: convert(node)
        case .unclear: askAboutSuperclass(node, own.superclass ?? "")
        case .other: break
        }
        if ownName(own.superclass ?? "") == "RLMObject" {
            ask("RLMObject belongs to Objective-C; derive from Object and mark properties with @Persisted", at: node)
        }
    }

    override func enter(_ node: ExtensionDeclSyntax) {
        let name = node.extendedType.trimmedDescription
        let isModel = facts.isModel(name, in: around)
        types.append(TypeAround(isModel: isModel, boxes: isModel ? facts.boxes(of: name, in: around) : []))
        guard let type = inherited(node.inheritanceClause, "RealmEnum") else { return }
        replace(type, with: "PersistableEnum")
        if !enums.contains(ownName(name)), !facts.iterableEnums.contains(ownName(name)) {
            ask("say this where \(ownName(name)) is declared, or add CaseIterable there", at: node)
        }
    }

    override func enter(_ node: StructDeclSyntax) { types.append(TypeAround(isModel: false, boxes: [])) }

    override func enter(_ node: EnumDeclSyntax) {
        types.append(TypeAround(isModel: false, boxes: []))
        let conformance = inherited(node.inheritanceClause, "RealmEnum")
        if let conformance { replace(conformance, with: "PersistableEnum") }
        if conformance != nil || facts.extendedEnums.contains(node.name.text) {
            node.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter(isObjc).forEach(remove)
        }
    }

    override func enter(_ node: ActorDeclSyntax) { types.append(TypeAround(isModel: false, boxes: [])) }

    override func leave() { types.removeLast() }

    // MARK: What Linux does not have

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        if isInModel(), isObjc(node) { remove(node) }
        return .visitChildren
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.path.trimmedDescription == "Realm" else { return .skipChildren }
        if imports.contains("RealmSwift") {
            removed += 1
            removeItem(node)
        } else {
            replace(node.path, with: "RealmSwift")
        }
        return .skipChildren
    }

    // MARK: Uses

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.declName.baseName.text == "value", let base = node.base,
            node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id != ExprSyntax(node).id
        else { return .visitChildren }
        let end = node.endPositionBeforeTrailingTrivia.utf8Offset
        let access = base.endPositionBeforeTrailingTrivia.utf8Offset..<end
        if let name = base.as(DeclReferenceExprSyntax.self)?.baseName.text {
            if types.last?.boxes.contains(name) == true { edits.remove(access) }
        } else if let member = base.as(MemberAccessExprSyntax.self) {
            let isOwn = member.base?.trimmedDescription == "self"
            convertValue(of: member.declName.baseName.text, isOwn: isOwn, access, node)
        }
        return .visitChildren
    }

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
        let components = Array(node.components)
        for (component, next) in zip(components, components.dropFirst()) {
            guard let name = component.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text,
                next.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text == "value"
            else { continue }
            convertValue(of: name, isOwn: false, range(next), node)
        }
        return .visitChildren
    }

    /// Removes `.value` behind a box, if it is certain that it is one.
    private func convertValue(of name: String, isOwn: Bool, _ access: Range<Int>, _ node: some SyntaxProtocol) {
        if isOwn ? types.last?.boxes.contains(name) == true : facts.boxNames.contains(name) {
            if isOwn || !facts.plainNames.contains(name) { return edits.remove(access) }
            let question = "if this \(name) was a RealmOptional or RealmProperty, its value is now .\(name) itself"
            ask(question, at: statement(node))
        }
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        guard let path = keyPath(node), let argument = node.arguments.first?.expression.trimmedDescription else {
            return .visitChildren
        }
        let first = String(argument.prefix { $0 != "." })
        if facts.isModel(first, in: scope) || first == "self" || isInModel() { replace(node, with: "\"\(path)\"") }
        return .skipChildren
    }

    // MARK: Places

    func range(_ node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    func replace(_ node: some SyntaxProtocol, with text: String) { edits.replace(range(node), with: text) }

    /// Removes an attribute or a modifier, and the line if nothing else stands there.
    func remove(_ node: some SyntaxProtocol) {
        var end = node.endPosition.utf8Offset
        if let next = node.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate),
            next.leadingTrivia.contains(where: \.isNewline), !next.leadingTrivia.contains(where: \.isComment)
        {
            end = next.positionAfterSkippingLeadingTrivia.utf8Offset
        }
        edits.remove(node.positionAfterSkippingLeadingTrivia.utf8Offset..<end)
    }

    /// Removes a declaration and the comments that document it. Other comments stay: they may be notes, or code.
    func removeDeclaration(_ node: some DeclSyntaxProtocol) {
        removed += DeclarationCounter.count(node)
        documentation(of: node).forEach { edits.removeLines(of: $0) }
        removeItem(node)
    }

    /// The comments that document a declaration: no blank line is between them and it.
    private func documentation(of node: some SyntaxProtocol) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var pieces = Array(node.leadingTrivia)
        var (place, newlines) = (node.position.utf8Offset, 0)
        if !pieces.contains(where: \.isNewline), let before = node.previousToken(viewMode: .sourceAccurate) {
            pieces = Array(before.trailingTrivia) + pieces
            place = before.endPositionBeforeTrailingTrivia.utf8Offset
        }
        // What stands before the first new line ends the line of the declaration above.
        let own = pieces.firstIndex(where: \.isNewline) ?? 0
        for (index, piece) in pieces.enumerated() {
            let end = place + piece.sourceLength.utf8Length
            newlines = piece.isWhitespace ? newlines + piece.newlines : 0
            if newlines > 1 { found = [] }
            if index >= own, piece.isDocumentation { found.append(place..<end) }
            place = end
        }
        return found
    }

    /// Removes a member or statement, with the semicolon that parts it from its neighbour on the line.
    private func removeItem(_ node: some DeclSyntaxProtocol) {
        let (own, before) = semicolons(around: node)
        let end = own?.endPositionBeforeTrailingTrivia ?? node.endPositionBeforeTrailingTrivia
        edits.removeLines(of: range(node).lowerBound..<end.utf8Offset)
        if own == nil, let before, !node.leadingTrivia.contains(where: \.isNewline) { edits.remove(range(before)) }
    }

    /// The statement or member around an expression.
    private func statement(_ node: some SyntaxProtocol) -> Syntax {
        var around = Syntax(node)
        while !around.is(CodeBlockItemSyntax.self), !around.is(MemberBlockItemSyntax.self), let next = around.parent {
            around = next
        }
        return around
    }
}

/// The semicolon behind a member or statement, and the one behind the member or statement before it.
private func semicolons(around node: some DeclSyntaxProtocol) -> (own: TokenSyntax?, before: TokenSyntax?) {
    let own = node.parent?.as(MemberBlockItemSyntax.self)?.semicolon
        ?? node.parent?.as(CodeBlockItemSyntax.self)?.semicolon
    let before = node.previousToken(viewMode: .sourceAccurate)
    return (own, before?.tokenKind == .semicolon ? before : nil)
}

extension TriviaPiece {
    fileprivate var newlines: Int {
        switch self {
        case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count): count
        default: 0
        }
    }

    fileprivate var isDocumentation: Bool {
        switch self {
        case .docLineComment, .docBlockComment: true
        default: false
        }
    }
}

func isObjc(_ attribute: AttributeSyntax) -> Bool {
    ["objc", "objcMembers", "nonobjc"].contains(attribute.attributeName.trimmedDescription)
}

/// What a file imports, and the enums it declares.
private final class FileNames: SyntaxVisitor {
    var imports: Set<String> = []
    var enums: Set<String> = []

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        imports.insert(node.path.trimmedDescription)
        return .skipChildren
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enums.insert(node.name.text)
        return .visitChildren
    }
}
