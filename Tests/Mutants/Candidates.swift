// Lists the places of Swift files that Scripts/mutants.py can mutate, one JSON object a line. The arguments are the
// files. The syntax comes from the SwiftSyntax libraries of the toolchain.
//
// `isMutant(#)` in a form is the switch of the mutant; the script inserts its number. A form adds no lines.

import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A change of the bytes `start..<end` of a file.
struct Candidate: Encodable {
    var file: String
    /// The path of the enclosing declarations, such as `ByteRange.init`.
    var place: String
    /// The lines of the innermost of them.
    var lines: [Int]
    var line: Int
    var kind: String
    var start: Int
    var end: Int
    var original: String
    var mutated: String
    var form: String
}

/// A named declaration, where Scripts/mutants.py searches the text of a mutant that is written by hand.
struct Region: Encodable {
    var file: String
    var region: String
    var start: Int
    var end: Int
}

/// Finds the candidates of a file.
final class Finder: SyntaxAnyVisitor {
    private(set) var candidates: [Candidate] = []
    private(set) var regions: [Region] = []
    private let file: String
    private let signatures: Signatures
    private let converter: SourceLocationConverter
    private var places: [(name: String, lines: [Int])] = []
    private var place: String { places.map(\.name).joined(separator: ".") }

    /// Syntax in which the compiler needs constants, or a test cannot notice a change.
    private static let excluded: Set<SyntaxKind> = [
        .attribute, .deinitializerDecl, .enumCaseDecl, .expressionPattern, .functionParameterClause,
        .genericArgumentClause, .ifConfigDecl, .macroExpansionExpr, .typeAnnotation,
    ]
    /// Calls whose absence or numbers no test can notice, besides those with "free" in their name.
    private static let unobservable: Set = [
        "assert", "assertionFailure", "close", "deallocate", "deinitialize", "fatalError", "precondition",
        "preconditionFailure", "pthread_cond_destroy", "pthread_mutex_destroy", "pthread_mutex_unlock",
        "reserveCapacity", "withExtendedLifetime",
    ]
    private static let unobservableLabels: Set = ["capacity", "keepingCapacity", "minimumCapacity"]
    private static let boundaries = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"]
    private static let inverses = [
        "-": "+", "&-": "&+", "&+": "&-", "<<": ">>", ">>": "<<", "/": "*", "&": "|",
    ]

    init(file: String, tree: some SyntaxProtocol, signatures: Signatures) {
        self.file = file
        self.signatures = signatures
        converter = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    private func add(_ kind: String, _ node: some SyntaxProtocol, mutated: String, form: String) {
        let start = node.positionAfterSkippingLeadingTrivia
        candidates.append(
            Candidate(
                file: file, place: place, lines: places.last?.lines ?? [],
                line: converter.location(for: start).line, kind: kind, start: start.utf8Offset,
                end: node.endPositionBeforeTrailingTrivia.utf8Offset, original: node.trimmedDescription,
                mutated: mutated, form: form))
    }

    /// Adds a candidate that selects one of two expressions.
    ///
    /// It would add lines if the expression had several.
    private func choose(_ kind: String, _ node: some SyntaxProtocol, mutated: String) {
        let original = node.trimmedDescription
        if original.contains("\n") { return }
        add(kind, node, mutated: mutated, form: "(isMutant(#) ? \(mutated) : \(original))")
    }

    private func negate(_ node: ExprSyntax) {
        let text = node.trimmedDescription
        add("negate", node, mutated: "!(\(text))", form: "((\(text)) != isMutant(#))")
    }

    private func fix(_ node: ExprSyntax, to value: Bool) {
        let text = node.trimmedDescription
        add(
            "omit", node, mutated: "\(value)",
            form: value ? "((\(text)) || isMutant(#))" : "((\(text)) && !isMutant(#))")
    }

    override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
        if let name = Self.declaredName(of: node) {
            let start = node.positionAfterSkippingLeadingTrivia
            let end = node.endPositionBeforeTrailingTrivia
            places.append((name, [start, end].map { converter.location(for: $0).line }))
            regions.append(Region(file: file, region: place, start: start.utf8Offset, end: end.utf8Offset))
        }
        // The body of an inlinable function is part of the module's interface, which does not have the switch.
        let isInlinable = node.asProtocol((any WithAttributesSyntax).self)?.attributes.contains {
            $0.trimmedDescription == "@inlinable"
        }
        if isInlinable == true || Self.excluded.contains(node.kind) { return .skipChildren }
        switch node.as(SyntaxEnum.self) {
        case .codeBlockItem(let item): visitStatement(item)
        case .conditionElement(let element): visitCondition(element)
        case .ternaryExpr(let ternary): negate(ternary.condition)
        case .infixOperatorExpr(let infix): visitOperator(infix)
        case .booleanLiteralExpr(let literal): visitBoolean(literal)
        case .integerLiteralExpr(let literal): visitInteger(literal)
        case .floatLiteralExpr(let literal):
            choose("constant", literal, mutated: "(\(literal.literal.text) + 1)")
        case .functionCallExpr(let call):
            if Self.isUnobservable(call) { return .skipChildren }
            visitCall(call)
        case .labeledExpr(let argument):
            if Self.unobservableLabels.contains(argument.label?.text ?? "") { return .skipChildren }
        default: break
        }
        return .visitChildren
    }

    override func visitAnyPost(_ node: Syntax) {
        if Self.declaredName(of: node) != nil { places.removeLast() }
    }

    /// Returns the name of a declaration that is not local.
    private static func declaredName(of node: Syntax) -> String? {
        if let type = node.as(ExtensionDeclSyntax.self) { return type.extendedType.trimmedDescription }
        if node.is(InitializerDeclSyntax.self) { return "init" }
        if node.is(SubscriptDeclSyntax.self) { return "subscript" }
        if let variable = node.as(VariableDeclSyntax.self) {
            let isLocal =
                node.parent?.parent?.parent?.is(CodeBlockSyntax.self) == true
                || node.parent?.parent?.parent?.is(ClosureExprSyntax.self) == true
            return isLocal ? nil : variable.bindings.first?.pattern.trimmedDescription
        }
        return node.asProtocol((any NamedDeclSyntax).self)?.name.text
    }

    // MARK: Statements

    private func visitStatement(_ node: CodeBlockItemSyntax) {
        guard case .expr(let statement) = node.item else { return }
        if canDrop(Self.content(of: statement)), !isValue(node), !isInLoop(node) {
            let text = node.item.trimmedDescription
            add("drop", node.item, mutated: "", form: "if !isMutant(#) { \(text) }")
        }
    }

    /// Returns the expression without `try`, `await` and `unsafe`.
    private static func content(of expression: ExprSyntax) -> ExprSyntax {
        if let inner = expression.as(TryExprSyntax.self)?.expression { return content(of: inner) }
        if let inner = expression.as(AwaitExprSyntax.self)?.expression { return content(of: inner) }
        if let inner = expression.as(UnsafeExprSyntax.self)?.expression { return content(of: inner) }
        return expression
    }

    private func canDrop(_ expression: ExprSyntax) -> Bool {
        if let call = expression.as(FunctionCallExprSyntax.self) {
            return !Self.isUnobservable(call) && Self.name(of: call) != "init"
        }
        guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return false }
        let sign = infix.operator.trimmedDescription
        let isAssignment = sign.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(sign)
        // A property needs a value at the end of an initializer.
        return isAssignment && places.last?.name != "init"
    }

    /// Whether the item is the value of a closure, a function, or an `if` or `switch` that is an expression.
    private func isValue(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
            var owner = list.parent
        else {
            return false
        }
        if owner.is(CodeBlockSyntax.self), let parent = owner.parent { owner = parent }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if let accessor = owner.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.text == "get"
        }
        if owner.is(ClosureExprSyntax.self) || owner.is(AccessorBlockSyntax.self) { return true }
        if owner.is(SwitchCaseSyntax.self), let parent = owner.parent?.parent { owner = parent }
        // `else if`
        while owner.is(IfExprSyntax.self), let parent = owner.parent, parent.is(IfExprSyntax.self) {
            owner = parent
        }
        guard owner.is(IfExprSyntax.self) || owner.is(SwitchExprSyntax.self) else { return false }
        guard let outer = owner.parent?.parent?.as(CodeBlockItemSyntax.self) else { return true }
        return isValue(outer)
    }

    /// Whether the item is in a loop that might not end without it.
    private func isInLoop(_ item: CodeBlockItemSyntax) -> Bool {
        sequence(first: Syntax(item), next: \.parent)
            .prefix { !$0.is(FunctionDeclSyntax.self) && !$0.is(ClosureExprSyntax.self) }
            .contains { $0.is(WhileStmtSyntax.self) || $0.is(RepeatStmtSyntax.self) }
    }

    private func visitCondition(_ node: ConditionElementSyntax) {
        guard case .expression(let condition) = node.condition, !condition.is(BooleanLiteralExprSyntax.self),
            let list = node.parent?.as(ConditionElementListSyntax.self)
        else { return }
        if list.parent?.is(WhileStmtSyntax.self) == true {
            fix(condition, to: false)
        } else {
            negate(condition)
            if list.count > 1 { fix(condition, to: true) }
        }
    }

    // MARK: Expressions

    private func visitOperator(_ node: InfixOperatorExprSyntax) {
        let sign = node.operator.trimmedDescription
        let left = node.leftOperand.trimmedDescription
        let right = node.rightOperand.trimmedDescription
        switch sign {
        case "&&", "||":
            let isChain =
                node.leftOperand.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription == sign
            if !isChain { fix(node.leftOperand, to: sign == "&&") }
            fix(node.rightOperand, to: sign == "&&")
        case "==", "!=":
            if node.parent?.is(ConditionElementSyntax.self) != true { negate(ExprSyntax(node)) }
        case "..<" where right.hasSuffix("ount"):
            add(
                "boundary", node.rightOperand, mutated: "\(right) - 1",
                form: "(\(right) - (isMutant(#) ? 1 : 0))")
        case "+"
        where [node.leftOperand, node.rightOperand].contains { $0.is(IntegerLiteralExprSyntax.self) }:
            choose("arithmetic", node, mutated: "\(left) - \(right)")
        default:
            if let other = Self.boundaries[sign] {
                choose("boundary", node, mutated: "\(left) \(other) \(right)")
            }
            if let other = Self.inverses[sign] {
                choose("arithmetic", node, mutated: "\(left) \(other) \(right)")
            }
        }
    }

    private func visitBoolean(_ node: BooleanLiteralExprSyntax) {
        // The compiler knows that `while true` does not end.
        if node.parent?.is(ConditionElementSyntax.self) == true { return }
        let isTrue = node.literal.text == "true"
        add("constant", node, mutated: "\(!isTrue)", form: isTrue ? "(!isMutant(#))" : "isMutant(#)")
    }

    private func visitInteger(_ node: IntegerLiteralExprSyntax) {
        // A table would provide most of the candidates.
        let isInTable =
            node.parent?.as(ArrayElementSyntax.self)?.parent?.as(ArrayElementListSyntax.self)?.count ?? 0 > 4
        guard !isInTable, let value = Self.value(of: node.literal.text) else { return }
        // The largest number of a type has no successor.
        let isMask = value > 1 && value & (value &+ 1) == 0
        choose("constant", node, mutated: isMask ? "\(value - 1)" : "\(value + 1)")
    }

    private static func value(of literal: String) -> UInt64? {
        let digits = literal.replacingOccurrences(of: "_", with: "")
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
            return UInt64(digits.dropFirst(2), radix: radix)
        }
        return UInt64(digits).flatMap { $0 < UInt64.max ? $0 : nil }
    }

    private static func name(of call: FunctionCallExprSyntax) -> String {
        call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
            ?? call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
    }

    private static func isUnobservable(_ call: FunctionCallExprSyntax) -> Bool {
        unobservable.contains(name(of: call)) || name(of: call).lowercased().contains("free")
    }

    private func visitCall(_ node: FunctionCallExprSyntax) {
        let name = Self.name(of: node)
        let arguments = Array(node.arguments)
        if let other = ["min": "max", "max": "min"][name] {
            let callee = node.calledExpression.trimmedDescription
            let rest = node.trimmedDescription.dropFirst(callee.count)
            choose("swap", node, mutated: "\(callee.dropLast(3))\(other)\(rest)")
        } else if let (first, second) = signatures.exchangeable(name, arguments) {
            let values = [arguments[first], arguments[second]].map(\.expression.trimmedDescription)
            var exchanged = arguments.map(\.trimmedDescription)
            var forms = exchanged
            for (index, value, other) in [(first, values[0], values[1]), (second, values[1], values[0])] {
                let label = arguments[index].label.map { "\($0.text): " } ?? ""
                let comma = arguments[index].trailingComma == nil ? "" : ","
                exchanged[index] = "\(label)\(other)\(comma)"
                forms[index] = "\(label)isMutant(#) ? \(other) : \(value)\(comma)"
            }
            if !node.arguments.description.contains("\n") {
                add(
                    "swap", node.arguments, mutated: exchanged.joined(separator: " "),
                    form: forms.joined(separator: " "))
            }
        }
    }
}

let files = CommandLine.arguments.dropFirst()
var trees: [(file: String, tree: Syntax)] = []
let signatures = Signatures(viewMode: .sourceAccurate)
for file in files {
    let tree = Parser.parse(source: try String(contentsOfFile: file, encoding: .utf8))
    signatures.walk(tree)
    trees.append((file, OperatorTable.standardOperators.foldAll(tree) { _ in }))
}
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
for (file, tree) in trees {
    let finder = Finder(file: file, tree: tree, signatures: signatures)
    finder.walk(tree)
    for region in finder.regions { print(String(decoding: try encoder.encode(region), as: UTF8.self)) }
    for candidate in finder.candidates {
        print(String(decoding: try encoder.encode(candidate), as: UTF8.self))
    }
}
