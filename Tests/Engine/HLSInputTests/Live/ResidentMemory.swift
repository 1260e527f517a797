import Foundation

/// Returns the number of bytes of resident memory of this process.
func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
}

/// Whether the tests run under a sanitizer, which retains freed memory.
let isSanitized: Bool = {
    let names: [String] = ["__asan_init", "__tsan_init"]
    // The symbol is only looked up, not called.
    return names.contains { name in unsafe dlsym(nil, name) != nil }
}()
