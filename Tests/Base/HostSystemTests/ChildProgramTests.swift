import Foundation
import Glibc
import HostSystem
import TestSupport
import Testing

/// Child programs, and what they inherit from this process.
@Suite(.timeLimit(.minutes(30))) struct ChildProgramTests {
    /// A folder with a script, deleted with the object.
    private final class Script {
        private let place: TemporaryFolder
        let path: String
        var folder: String { place.path }

        init(_ text: String) async throws {
            place = try TemporaryFolder()
            path = try await place.script("script", text)
        }

        func start(
            _ arguments: [String] = [], environment: [String: String] = [:], input: [UInt8] = []
        ) throws -> ChildProgram {
            try ChildProgram(path: path, arguments: arguments, environment: environment, input: input)
        }

        func result(_ name: String) -> String {
            String(
                decoding: FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data(), as: UTF8.self)
        }
    }

    @Test func program_receivesOnlyItsArgumentInputAndEnvironment() async throws {
        let script = try await Script(
            """
            cd "${0%/*}"
            printf '%s' "$1" > argument; printf '%s' "$#" > count
            cat > input
            env | sed 's/=.*//' | grep -v '^_$' | sort > variables
            printf '%s' "$GIVEN" > given
            ls -l /proc/$$/fd > files
            grep '^Sig[BI]' /proc/self/status > signals
            ps -o pgid= -p $$ > group; echo $$ > self
            """)
        let argument = "one 'argument' $HOME; `id` \n*"
        let input = Array("{\"a\":1}\n".utf8)
        // A file of this process that was opened without the close-on-exec flag.
        let descriptor = unsafe Glibc.open("/etc/passwd", O_RDONLY)
        defer { close(descriptor) }
        let program = try script.start([argument], environment: ["GIVEN": "value"], input: input)
        #expect(await program.ending() == .status(0))
        #expect(script.result("argument") == argument && script.result("count") == "1")
        #expect(script.result("input") == "{\"a\":1}\n")
        #expect(script.result("given") == "value")
        // A shell sets some variables itself.
        let variables = script.result("variables").split(separator: "\n").map(String.init)
        #expect(Set(variables).subtracting(["PWD", "OLDPWD", "SHLVL", "PATH"]) == ["GIVEN"])
        // The shell also has its script open, and saves the descriptors that it redirects.
        let files = script.result("files")
        #expect(descriptor > 2 && files.contains("/dev/null") && !files.contains("/etc/passwd"))
        // In multithreaded programs, glibc reserves two signals, 32 and 33.
        let signals = script.result("signals").split(separator: "\n")
        #expect(signals.count == 2 && signals.allSatisfy { $0.hasSuffix("0000000") })
        let group = script.result("group").trimmingCharacters(in: .whitespaces)
        #expect(group == script.result("self"))
    }

    @Test(arguments: [0, 1, 3, 127, 255])
    func program_thatExits_reportsItsStatus(status: Int32) async throws {
        let script = try await Script("exit \(status)")
        let program = try script.start()
        #expect(await program.ending() == .status(status))
        // A second call, after the end.
        #expect(await program.ending() == .status(status))
        program.kill()
    }

    @Test func program_thatIsKilled_endsWithItsChildren() async throws {
        let script = try await Script("sleep 1000 & echo $! > \"${0%/*}/other\"\nsleep 1000")
        let program = try script.start()
        let path = script.folder + "/other"
        try await wait(for: "the other one") { FileManager.default.contents(atPath: path)?.last == 0x0A }
        let other = try #require(
            Int32(script.result("other").trimmingCharacters(in: .whitespacesAndNewlines)))
        program.kill()
        #expect(await program.ending() == .signal(SIGKILL))
        try await wait(for: "its child to be gone") {
            // The process that adopted it may not have reaped it yet.
            let status = FileManager.default.contents(atPath: "/proc/\(other)/stat") ?? Data()
            return status.isEmpty || String(decoding: status, as: UTF8.self).contains(") Z ")
        }
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 1 << 20])
    func input_withinPipeCapacity_arrivesComplete(count: Int) async throws {
        let script = try await Script("cat > \"${0%/*}/input\"")
        let program = try script.start(input: [UInt8](repeating: 0x41, count: count))
        #expect(await program.ending() == .status(0))
        #expect(script.result("input").utf8.count == count)
    }

    @Test func start_withTooMuchInputOrAMissingProgram_isAnError() async throws {
        let script = try await Script("exit 0")
        #expect(throws: SystemError.self) { try script.start(input: [UInt8](repeating: 0, count: 100 << 20)) }
        for path in ["/no/such/program", script.folder] {
            #expect(throws: SystemError.self) {
                try ChildProgram(path: path, arguments: [], environment: [:], input: [])
            }
        }
    }

    @Test func unreadInput_doesNotBlockTheProgram() async throws {
        let script = try await Script("exit 0")
        #expect(try await script.start(input: [UInt8](repeating: 0, count: 60_000)).ending() == .status(0))
    }
}
