// SPDX-License-Identifier: MIT
// ScopeVisitor.swift -- a walk through a file that knows which types are around.

import SwiftSyntax

/// Walks through a file; `scope` is where the walk is, and `around` is where the type stands that it is in.
class ScopeVisitor: SyntaxVisitor {
    private(set) var scope: Scope
    private var outer: [Scope] = []

    var around: Scope { outer.last ?? scope }

    init(file: Int) {
        scope = Scope(file: file)
        super.init(viewMode: .sourceAccurate)
    }

    func enter(_ node: ClassDeclSyntax) {}
    func enter(_ node: StructDeclSyntax) {}
    func enter(_ node: EnumDeclSyntax) {}
    func enter(_ node: ActorDeclSyntax) {}
    func enter(_ node: ExtensionDeclSyntax) {}
    /// The walk comes out of a type.
    func leave() {}

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        go(into: [node.name.text]) { enter(node) }
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        go(into: [node.name.text]) { enter(node) }
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        go(into: [node.name.text]) { enter(node) }
    }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        go(into: [node.name.text]) { enter(node) }
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        go(into: typeNames(node.extendedType.trimmedDescription)) { enter(node) }
    }

    override func visitPost(_ node: ClassDeclSyntax) { pop() }
    override func visitPost(_ node: StructDeclSyntax) { pop() }
    override func visitPost(_ node: EnumDeclSyntax) { pop() }
    override func visitPost(_ node: ActorDeclSyntax) { pop() }
    override func visitPost(_ node: ExtensionDeclSyntax) { pop() }

    private func go(into names: [String], _ enter: () -> Void) -> SyntaxVisitorContinueKind {
        outer.append(scope)
        scope = scope.inside(names)
        enter()
        return .visitChildren
    }

    private func pop() {
        scope = outer.removeLast()
        leave()
    }
}
