import Foundation

/// How many bytes of memory this process has.
func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
}

/// Whether the tests run under a sanitizer, which keeps memory that was freed.
let isSanitized: Bool = {
    let names: [String] = ["__asan_init", "__tsan_init"]
    // Only looked up.
    return names.contains { name in unsafe dlsym(nil, name) != nil }
}()
