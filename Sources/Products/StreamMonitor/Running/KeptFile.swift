internal import FoundationEssentials
import HostSystem

/// A small value that is kept in a file, and is there again after a restart.
///
/// The file is replaced as a whole: after a crash it has what it had before or what it was to have.
struct KeptFile<Value: Codable & Sendable>: Sendable {
    /// Where it is.
    let path: String

    /// Why a file could not be read.
    struct Problem: Error, Sendable, Hashable {
        /// The reason, in a few words.
        let reason: String
    }

    /// The most that the file may take: more is not ours.
    private static var maximumByteCount: Int { 64 << 20 }

    /// What the file has; nil where there is none.
    ///
    /// One that cannot be read is set aside, `.damaged` after its name: the next one that is written would replace it.
    func read() throws(Problem) -> Value? {
        do throws(Problem) {
            return try readInPlace()
        } catch {
            do throws(SystemError) {
                try FileSystem.rename(path, to: path + ".damaged")
            } catch let failure {
                throw Problem(reason: "\(error.reason), and it cannot be set aside: \(failure.reason)")
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

    /// The value that the bytes of a file are.
    static func value(of bytes: [UInt8]) throws(Problem) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw Problem(reason: "it is damaged")
        }
    }

    /// Puts a value into the file; it is on the disk when this returns.
    func write(_ value: Value) throws(Problem) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try FileSystem.replace(path, with: [UInt8](try encoder.encode(value)))
        } catch let error as SystemError {
            throw Problem(reason: error.reason)
        } catch {
            throw Problem(reason: "it cannot be written as JSON")
        }
    }
}
