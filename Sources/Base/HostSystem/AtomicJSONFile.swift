internal import FoundationEssentials

/// A small value that is stored in a file and survives a restart.
///
/// The file is replaced atomically: after a crash it holds either the old value or the new one.
package struct AtomicJSONFile<Value: Codable & Sendable>: Sendable {
    /// The path of the file.
    private let path: String

    /// An error from reading or writing the file.
    package struct Problem: Error, Sendable, Hashable {
        /// The reason, in a few words.
        package let reason: String
    }

    /// The maximum number of bytes that are read, more than any program of the package writes.
    private static var maximumByteCount: Int { 64 << 20 }

    /// Creates the access to a file, which is neither opened nor created.
    package init(path: String) { self.path = path }

    /// Returns the value in the file, or nil if the file does not exist.
    ///
    /// An unreadable file is renamed with the suffix `.damaged`, so that the next write does not overwrite it.
    package func read() throws(Problem) -> Value? {
        do throws(Problem) {
            return try readInPlace()
        } catch {
            do throws(SystemError) {
                try FileSystem.rename(path, to: path + ".damaged")
            } catch let failure {
                throw Problem(reason: "\(error.reason), and the file cannot be renamed: \(failure.reason)")
            }
            throw error
        }
    }

    private func readInPlace() throws(Problem) -> Value? {
        guard FileSystem.byteCount(of: path) != nil else { return nil }
        do {
            let file = try FileDescriptor(path: path, options: [.reading, .noFollow, .nonblocking])
            let bytes = try file.firstBytes(Self.maximumByteCount)
            return try Self.value(of: bytes)
        } catch let error as SystemError {
            throw Problem(reason: error.reason)
        } catch let error as Problem {
            throw error
        } catch {
            throw Problem(reason: "it is damaged")
        }
    }

    /// Decodes the contents of a file.
    package static func value(of bytes: [UInt8]) throws(Problem) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw Problem(reason: "it is damaged")
        }
    }

    /// Writes a value to the file; the value is durable when this returns.
    package func write(_ value: Value) throws(Problem) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try FileSystem.replace(path, with: [UInt8](try encoder.encode(value)))
        } catch let error as SystemError {
            throw Problem(reason: error.reason)
        } catch {
            throw Problem(reason: "the value cannot be encoded as JSON")
        }
    }
}
