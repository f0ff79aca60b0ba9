// SPDX-License-Identifier: MIT
// ClassConversion.swift -- the changes that one model class needs.

import SwiftSyntax

extension FileConversion {
    func convert(_ node: ClassDeclSyntax) {
        let members = declarations(in: node.memberBlock.members)
        keepName(node)
        members.compactMap { $0.as(InitializerDeclSyntax.self) }.forEach(convertInitializer)
        let variables = members.compactMap { $0.as(VariableDeclSyntax.self) }
        if variables.contains(where: { attributes($0).contains("Persisted") }) {
            return variables.forEach(unmark)
        }
        let functions = members.compactMap { $0.as(FunctionDeclSyntax.self) }.filter(isModelFunction)
        convertProperties(variables, functions, inObjcMembers: hasObjcMembers(node))
    }

    /// A class of which it is not known whether it is stored stays as it is; a question only if it may have been.
    func askAboutSuperclass(_ node: ClassDeclSyntax, _ superclass: String) {
        let variables = declarations(in: node.memberBlock.members).compactMap { $0.as(VariableDeclSyntax.self) }
        let isOlder = variables.contains { storing($0, inObjcMembers: hasObjcMembers(node)) != .no }
        guard isOlder, !variables.contains(where: { attributes($0).contains("Persisted") }) else { return }
        ask(
            "which \(superclass) this derives from is unclear, and not each is stored; if it is, convert by hand",
            at: node)
    }

    private func hasObjcMembers(_ node: ClassDeclSyntax) -> Bool {
        node.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "objcMembers"
        }
    }

    /// A class with another name in Objective-C was stored under that one.
    private func keepName(_ node: ClassDeclSyntax) {
        let objc = node.attributes.compactMap { $0.as(AttributeSyntax.self) }.first {
            $0.attributeName.trimmedDescription == "objc"
        }
        guard let name = objc?.arguments?.trimmedDescription, name != node.name.text else { return }
        let access = node.modifiers.contains { ["public", "open"].contains($0.name.text) } ? "public " : ""
        let text = "\(access)override class func _realmObjectName() -> String? { \"\(name)\" }"
        added += 1
        let brace = node.memberBlock.leftBrace
        let indentation = edits.indentation(node.positionAfterSkippingLeadingTrivia.utf8Offset) + "    "
        edits.insert("\n\(indentation)\(text)\n", at: brace.endPositionBeforeTrailingTrivia.utf8Offset)
    }

    /// Initialisers that Realm asked for long ago.
    private func convertInitializer(_ node: InitializerDeclSyntax) {
        let types = node.signature.parameterClause.parameters.map { $0.type.trimmedDescription }
        guard types.contains(where: { ["RLMRealm", "RLMSchema", "RLMObjectSchema"].contains($0) }) else { return }
        let body = node.body?.statements
        if body?.count == 1, body?.first?.item.trimmedDescription.hasPrefix("super.init(") == true {
            removeDeclaration(node)
        } else {
            ask("this initialiser is never called; move what it does", at: node)
        }
    }

    /// A class that has `@Persisted` stored nothing else, so other properties only lose what Linux does not have.
    private func unmark(_ node: VariableDeclSyntax) {
        let dynamic = Array(node.modifiers).filter { $0.name.text == "dynamic" }
        guard !dynamic.isEmpty, attributes(node).contains("objc") else { return }
        dynamic.forEach(remove)
        if storing(node, inObjcMembers: false) == .dynamic {
            ask("not stored, since others of this class have @Persisted; mark it, too, if it shall be", at: node)
        }
    }

    // MARK: Properties

    private func convertProperties(
        _ variables: [VariableDeclSyntax], _ functions: [FunctionDeclSyntax], inObjcMembers: Bool
    ) {
        func function(_ name: String) -> FunctionDeclSyntax? { functions.first { $0.name.text == name } }
        func returned(_ name: String) -> [String]? { function(name).flatMap(namesReturned) }
        var names = PropertyNames()
        names.ignored = Set(returned("ignoredProperties") ?? [])
        if let ignored = function("ignoredProperties"), returned("ignoredProperties") == nil {
            ask("remove @Persisted from the properties that this names", at: ignored)
        }
        let stored = variables.filter {
            storing($0, inObjcMembers: inObjcMembers) != .no && !isIgnored($0, names.ignored)
        }
        let storedNames = Set(stored.flatMap(declared)).subtracting(names.ignored)
        if let key = returned("primaryKey")?.first, storedNames.contains(key), let function = function("primaryKey") {
            names.primaryKey = key
            removeDeclaration(function)
        }
        if let indexed = returned("indexedProperties"), storedNames.isSuperset(of: indexed),
            let function = function("indexedProperties")
        {
            names.indexed = Set(indexed)
            removeDeclaration(function)
        }
        for node in variables where storing(node, inObjcMembers: inObjcMembers) != .no {
            if isIgnored(node, names.ignored) {
                Array(node.modifiers).filter { $0.name.text == "dynamic" }.forEach(remove)
            } else {
                convert(node, names, storing(node, inObjcMembers: inObjcMembers))
            }
        }
        for node in variables where storing(node, inObjcMembers: inObjcMembers) == .no {
            askAboutAttributes(node)
            Array(node.modifiers).filter { $0.name.text == "dynamic" }.forEach(remove)
        }
        removeIgnored(function("ignoredProperties"), names.ignored, variables, hasStored: !stored.isEmpty)
    }

    /// Removes the list of ignored properties, unless it names lists, sets, maps or linking objects: of these it has to
    /// be said that they are left out on purpose.
    private func removeIgnored(
        _ function: FunctionDeclSyntax?, _ ignored: Set<String>, _ variables: [VariableDeclSyntax], hasStored: Bool
    ) {
        guard let function, !ignored.isEmpty, hasStored else { return }
        let containers = variables.filter { storing($0, inObjcMembers: false) == .container }.flatMap(declared)
        if ignored.isDisjoint(with: containers) { removeDeclaration(function) }
    }

    /// Whether nothing that a declaration declares is stored. Of several variables some may be.
    private func isIgnored(_ node: VariableDeclSyntax, _ ignored: Set<String>) -> Bool {
        let names = declared(node)
        return !names.isEmpty && ignored.isSuperset(of: names)
    }

    private func declared(_ node: VariableDeclSyntax) -> [String] {
        node.bindings.compactMap(plainName)
    }

    /// Whether a type is a model, as a member of the class writes it.
    private func isModel(_ type: String) -> Bool { facts.isModel(type, in: scope) }

    /// Writes the declaration of one or more stored properties anew.
    private func convert(_ node: VariableDeclSyntax, _ names: PropertyNames, _ storing: Storing) {
        let bindings = Array(node.bindings)
        if bindings.contains(where: isMadeByClosure) {
            let question = "a box with a closure stays; give @Persisted the value, and remove .value where it is used"
            return ask(question, at: node)
        }
        let written = bindings.indices.compactMap { index in
            let later = bindings[index...].lazy.compactMap(\.typeAnnotation?.type).first
            let sharesType = bindings[index].typeAnnotation == nil && bindings[index].initializer == nil
            let type = sharesType ? later : nil
            let isLeftOut = plainName(bindings[index]).map(names.ignored.contains) ?? false
            return isLeftOut
                ? leftOut(bindings[index], sharing: type) : persisted(bindings[index], sharing: type, names, isModel)
        }
        guard written.count == bindings.count else {
            return ask("a property of a name of its own can be stored, not a pattern", at: node)
        }
        written.flatMap(\.questions).forEach { ask($0, at: node) }
        askAboutModifiers(node, storing)
        properties += written.filter { !$0.attribute.isEmpty }.count
        if written.count == 1 { convert(node, bindings[0], written[0]) } else { split(node, written) }
    }

    /// One of Objective-C that also has an attribute of another kind was stored, but cannot have both in Swift.
    private func askAboutAttributes(_ node: VariableDeclSyntax) {
        let others = attributes(node).filter { !isVisibility($0) }
        guard !others.isEmpty, attributes(node).contains("objc"), node.bindingSpecifier.text == "var",
            node.modifiers.contains(where: { $0.name.text == "dynamic" }), !node.bindings.contains(where: isComputed)
        else { return }
        let names = others.map { "@\($0)" }.joined(separator: " ")
        ask("it was stored; replace \(names) by @Persisted if it shall still be", at: node)
    }

    private func askAboutModifiers(_ node: VariableDeclSyntax, _ storing: Storing) {
        if storing == .visible {
            ask("it was not dynamic; remove @Persisted if it is not meant to be stored", at: node)
        }
        let objc = node.attributes.compactMap { $0.as(AttributeSyntax.self) }.first { isObjc($0) }
        if let name = objc?.arguments?.trimmedDescription {
            ask("it was stored as \(name); say so in propertiesMapping(), or rename it", at: node)
        }
        if node.modifiers.contains(where: { ["weak", "unowned"].contains($0.name.text) }) {
            ask("links neither keep objects nor let them go; weak is gone", at: node)
        }
    }

    private static let lost: Set<String> = ["dynamic", "weak", "unowned"]

    private func convert(_ node: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ property: PersistedProperty) {
        let objc = node.attributes.compactMap { $0.as(AttributeSyntax.self) }.first(where: isObjc)
        if let objc {
            replace(objc, with: property.attribute)
        } else {
            let place = node.modifiers.first.map(Syntax.init) ?? Syntax(node.bindingSpecifier)
            edits.insert(property.attribute + " ", at: place.positionAfterSkippingLeadingTrivia.utf8Offset)
        }
        Array(node.modifiers).filter { FileConversion.lost.contains($0.name.text) }.forEach(remove)
        if node.bindingSpecifier.text == "let" { replace(node.bindingSpecifier, with: "var") }
        if binding.trimmedDescription != property.binding { replace(binding, with: property.binding) }
    }

    /// A property wrapper stands before one variable, so that several of one declaration come to stand by themselves.
    private func split(_ node: VariableDeclSyntax, _ written: [PersistedProperty]) {
        let modifiers = Array(node.modifiers).filter { !FileConversion.lost.contains($0.name.text) }
            .map { $0.trimmedDescription + " " }.joined()
        let indentation = edits.indentation(node.positionAfterSkippingLeadingTrivia.utf8Offset)
        let lines = zip(written, node.bindings).map { property, binding in
            (property.attribute.isEmpty ? "" : property.attribute + " ") + "\(modifiers)var \(property.binding)"
                + comments(behind: binding)
        }
        replace(node, with: lines.joined(separator: "\n" + indentation))
    }

    /// The comments between a variable and the next one of its declaration, as they may end a line.
    private func comments(behind binding: PatternBindingSyntax) -> String {
        guard let comma = binding.trailingComma else { return "" }
        let before = comma.previousToken(viewMode: .sourceAccurate)?.trailingTrivia ?? []
        let next = comma.nextToken(viewMode: .sourceAccurate)?.leadingTrivia ?? []
        let pieces = Array(before) + Array(comma.leadingTrivia) + Array(comma.trailingTrivia) + Array(next)
        let texts = pieces.filter(\.isComment).map { piece in
            var text = ""
            piece.write(to: &text)
            return text
        }
        return texts.map { " " + $0 }.joined()
    }
}
