// SPDX-License-Identifier: MIT
// DeclarationCounter.swift -- how many declarations a piece of a file has.

import SwiftSyntax

/// Counts declarations, inside of each other too. One of several variables counts as often as it has variables, so that
/// it may be split.
final class DeclarationCounter: SyntaxVisitor {
    private var count = 0

    static func count(_ node: some SyntaxProtocol) -> Int {
        let counter = DeclarationCounter(viewMode: .sourceAccurate)
        counter.walk(node)
        return counter.count
    }

    private func found(_ count: Int = 1) -> SyntaxVisitorContinueKind {
        self.count += count
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind { found(node.bindings.count) }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind { found() }
    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind { found() }
}
