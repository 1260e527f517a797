import Glibc
import HLSInput
import TextForms

/// The inputs of a command: its operands, then the lines of the file of `--inputs`, reduced to those of its shard.
///
/// The unit that is counted, sharded and resumed is an input: the segments of one folder among the operands, any other
/// operand, or a line. Lines are not grouped, so that each belongs to a shard by its own text, in any order.
///
/// The lines are read while the inputs are processed, so their number does not matter.
struct InputList: ~Copyable {
    /// The maximum length of a line, in bytes: that of a path or an address, with room to spare.
    private static let maximumLineByteCount = 16_384

    /// The number of inputs returned so far.
    private(set) var count = 0
    /// The number of inputs that an earlier run has already read.
    private(set) var skippedCount = 0
    private var failedCount = 0
    /// Whether an input could not be read.
    var hasFailed: Bool { failedCount > 0 }
    /// The progress of all inputs on a terminal; nil without one, and for a single input.
    private(set) var progress: ProgressBar?
    /// The number of inputs; nil if it is unknown, or if no progress is shown.
    private var total: Int?
    /// Whether the file of `--inputs` could not be read to its end.
    private var isCut = false

    /// The console for notes; nil to count the inputs without any.
    private let console: Console?
    private let shard: Shard?
    private var operands: ArraySlice<InputOperand>
    private var file: InputFile?
    private var lines = LineSplitter(maximumByteCount: maximumLineByteCount)
    private var buffer: [UInt8] = []
    private var isStandardInput = false

    /// The paragraph of the manual on lists of inputs.
    static let details = """
        --inputs reads the inputs from a file, one per line, relative to the working directory; operands come first. \
        With --shard I/N, only the inputs of shard I are read: N processes with the same inputs read each one once.
        """

    /// Opens the list of inputs.
    ///
    /// - Parameters:
    ///   - address: The input without operands and `--inputs`; nil for none.
    ///   - requiresInputs: Whether a command line without inputs is an error.
    init(
        _ context: CommandContext, orElse address: String? = nil, requiresInputs: Bool = true
    ) throws(UsageError) {
        if requiresInputs, address == nil, context.invocation[.inputs] == nil {
            try context.requireOperands("input")
        }
        let shard = try context.shard()
        let file = try Self.open(context)
        console = context.console
        self.shard = shard
        var operands = Self.operands(of: context)
        if operands.isEmpty, context.invocation[.inputs] == nil, let address {
            operands = [InputOperand(address)]
        }
        self.operands = operands[...]
        self.file = file
        guard context.console.showsProgress else { return }
        // A pipe can be read only once.
        if self.file?.isRegular != false, context.invocation[.inputs] != "-" {
            total = Self.count(context, operands, shard)
        }
        if total != 1 { progress = ProgressBar("inputs", on: context.console) }
    }

    /// Creates a list that counts the inputs.
    private init(
        counting context: CommandContext, _ operands: [InputOperand], _ shard: Shard?
    ) throws(UsageError) {
        let file = try Self.open(context)
        console = nil
        self.shard = shard
        self.operands = operands[...]
        self.file = file
    }

    /// Returns the operands, with the segments of one folder as one input unless the user separates them.
    private static func operands(of context: CommandContext) -> [InputOperand] {
        context.invocation.isOn(.separate)
            ? context.operands.map(InputOperand.init) : InputOperand.grouped(context.operands)
    }

    /// Returns the number of inputs; nil if the file of `--inputs` is gone.
    private static func count(_ context: CommandContext, _ operands: [InputOperand], _ shard: Shard?) -> Int?
    {
        do throws(UsageError) {
            var list = try InputList(counting: context, operands, shard)
            while list.next() != nil {}
            return list.count
        } catch {
            return nil
        }
    }

    /// Opens the file of `--inputs`; nil without one.
    private static func open(_ context: CommandContext) throws(UsageError) -> InputFile? {
        guard let path = context.invocation[.inputs] else { return nil }
        if path == "-", context.operands.contains("-") {
            throw context.usageError("standard input cannot be both an input and the list of inputs")
        }
        do throws(InputError) {
            if path == "-" { return try InputFile(lent: STDIN_FILENO, name: "standard input") }
            return try InputFile(named: path)
        } catch {
            throw context.usageError("--inputs: \(error.message)")
        }
    }

    /// Returns the next input of the shard, or nil at the end, after an error of the file or an interruption.
    ///
    /// The inputs returned before count as done.
    mutating func next() -> InputOperand? {
        showProgress()
        while let input = nextOfAll() {
            guard shard?.contains(input.source) != false else { continue }
            count += 1
            isStandardInput = input.source == "-"
            return input
        }
        progress?.end()
        return nil
    }

    /// Counts the last input as unreadable.
    mutating func countFailed() { failedCount += 1 }

    /// Counts the last input as read by an earlier run.
    mutating func countSkipped() { skippedCount += 1 }

    private func showProgress() {
        guard let progress else { return }
        var text = failedCount > 0 ? ", \(failedCount) failed" : ""
        let seconds = progress.elapsedSeconds
        if seconds > 1 {
            let tenths = Int(Double(count - skippedCount) / seconds * 10)
            text += ", \(tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)")/s"
        }
        if let total {
            progress.show(min(count, total), of: total, "inputs\(text)", skipped: min(skippedCount, total))
        } else {
            progress.showCount("\(count) read\(text)")
        }
    }

    /// Whether standard input, which may be a live stream without another end, was the only input.
    var endsAtInterruption: Bool { count == 1 && isStandardInput }

    /// Returns the exit status, and prints why there was nothing to do.
    ///
    /// - Parameter isAnyRead: Whether an input could be read.
    func status(isAnyRead: Bool) -> ExitStatus {
        if isCut { return .noInput }
        if count == 0, let shard {
            console?.note("no input belongs to shard \(shard)")
            return .done
        }
        return isAnyRead ? .done : .noInput
    }

    private mutating func nextOfAll() -> InputOperand? {
        if let operand = operands.popFirst() { return operand }
        while true {
            while let line = lines.next() {
                if let name = name(in: line) { return InputOperand(name) }
            }
            if !fill() { return nil }
        }
    }

    /// Returns the input on a line, or nil for a blank line, a comment or a damaged line.
    private mutating func name(in line: LineSplitter.Line) -> String? {
        let problem: String
        switch line {
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                problem = "is not UTF-8"
                break
            }
            let name = text[...].trimmed
            return name.isEmpty || name.hasPrefix("#") ? nil : String(name)
        case .tooLong: problem = "is longer than \(Self.maximumLineByteCount) bytes"
        }
        console?.note("\(file?.name ?? ""):\(lines.number): \(problem)")
        return nil
    }

    /// Reads the next piece of the file, and returns false at its end.
    private mutating func fill() -> Bool {
        guard file != nil, !lines.isFinished else { return false }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: InputFile.pieceByteCount) }
        do throws(InputError) {
            let count = try file?.read(into: &buffer) ?? 0
            if count == 0 { lines.finish() } else { lines.append(buffer[..<count]) }
            return true
        } catch {
            isCut = true
            if !Task.isCancelled { console?.note(error.message) }
            return false
        }
    }
}

extension Setting {
    static let separate = Setting(
        "separate", .toggle,
        help:
            "read each segment among the operands as an input of its own, instead of those of one folder together"
    )
    static let inputs = Setting(
        "inputs", .path("FILE|-"),
        help: "also read the inputs that a file lists, one per line; blank lines and lines with # are skipped"
    )
}
