import ExtremeMutation
import TextForms

/// Reads the input as JSON: no crash, and the visited ranges are inside the text, in order.
///
/// Every way of reading a text accepts it, or none does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let span = bytes.span
    var sum = 0
    var end = 0
    var visited: [(Range<Int>, JSONReader.Kind)] = []
    let isObject = accepts {
        () throws(JSONReader.JSONError) in
        try JSONReader.members(of: span, in: 0..<count) { key, value, kind in
            precondition(key.lowerBound >= end && value.lowerBound >= key.upperBound)
            end = value.upperBound
            sum &+= JSONReader.string(span, in: key).utf8.count
            visited.append((value, kind))
        }
    }
    let isArray = accepts {
        () throws(JSONReader.JSONError) in
        try JSONReader.elements(of: span, in: 0..<count) { value, kind in
            if isObject { return }
            visited.append((value, kind))
        }
    }
    var kind: JSONReader.Kind?
    let isText = accepts { () throws(JSONReader.JSONError) in
        kind = try JSONReader.kind(of: span, in: 0..<count)
    }
    precondition(!isObject || !isArray)
    precondition(isText || (!isObject && !isArray))
    precondition(isObject == (isText && kind == .object) && isArray == (isText && kind == .array))
    for (range, kind) in visited where isText {
        precondition(range.lowerBound >= 0 && range.upperBound <= count && !range.isEmpty)
        switch kind {
        case .string: sum &+= JSONReader.string(span, in: range).utf8.count
        case .number: sum &+= Int(truncatingIfNeeded: JSONReader.integer(span, in: range) ?? 0)
        default: break
        }
        if kind == .string { rewrite(JSONReader.string(span, in: range)) }
    }
    // The result is used, so that a release build does not omit the work.
    return sum == .min ? 1 : 0
}

private func accepts(_ body: () throws(JSONReader.JSONError) -> Void) -> Bool {
    do throws(JSONReader.JSONError) {
        try body()
        return true
    } catch {
        return false
    }
}

/// Writes a text as JSON, and checks that reading the result returns the text.
private func rewrite(_ text: String) {
    var writer = JSONWriter()
    writer.value(text)
    let bytes = writer.bytes
    precondition(JSONReader.string(bytes.span, in: 0..<bytes.count) == text)
}
