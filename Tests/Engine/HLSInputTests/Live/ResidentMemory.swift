import Foundation

/// How many bytes of memory this process has.
func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
}
