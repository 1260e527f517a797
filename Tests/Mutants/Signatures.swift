import SwiftSyntax

/// The types of the parameters of all functions and structures, by name and labels, such as `range(from:to:)`.
final class Signatures: SyntaxVisitor {
    private(set) var types: [String: Set<[String]>] = [:]
    private var names: [String] = []

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        add(node.name.text, node.signature.parameterClause)
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        if let name = names.last { add(name, node.signature.parameterClause) }
        return .visitChildren
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        names.append(node.name.text)
        let members = node.memberBlock.members.map(\.decl)
        if members.contains(where: { $0.is(InitializerDeclSyntax.self) }) { return .visitChildren }
        // The memberwise initializer.
        var labels = ""
        var list: [String] = []
        for variable in members.compactMap({ $0.as(VariableDeclSyntax.self) }) {
            if variable.modifiers.contains(where: { $0.name.text == "static" }) { continue }
            for binding in variable.bindings where binding.accessorBlock == nil && binding.initializer == nil
            {
                labels += "\(binding.pattern.trimmedDescription):"
                list.append(binding.typeAnnotation?.type.trimmedDescription ?? "inout")
            }
        }
        types["\(node.name.text)(\(labels))", default: []].insert(list)
        return .visitChildren
    }

    override func visitPost(_ node: StructDeclSyntax) { names.removeLast() }

    private func add(_ name: String, _ clause: FunctionParameterClauseSyntax) {
        let labels = clause.parameters.map { "\($0.firstName.text):" }.joined()
        types["\(name)(\(labels))", default: []].insert(clause.parameters.map(\.type.trimmedDescription))
    }

    /// Returns the first two arguments that may change places because all functions of this name give them one type.
    func exchangeable(_ name: String, _ arguments: [LabeledExprSyntax]) -> (Int, Int)? {
        let labels = arguments.map { "\($0.label?.text ?? "_"):" }.joined()
        guard let signatures = types["\(name)(\(labels))"] else { return nil }
        for first in arguments.indices {
            for second in arguments.indices.dropFirst(first + 1) {
                let values = [arguments[first], arguments[second]].map(\.expression)
                let isPlain = values.allSatisfy {
                    !$0.is(ClosureExprSyntax.self) && !$0.is(InOutExprSyntax.self)
                        && !$0.description.contains("\n")
                }
                let haveOneType = signatures.allSatisfy {
                    $0[first] == $0[second] && !$0[first].contains("inout") && !$0[first].contains("->")
                }
                if isPlain, haveOneType, values[0].trimmedDescription != values[1].trimmedDescription {
                    return (first, second)
                }
            }
        }
        return nil
    }
}
