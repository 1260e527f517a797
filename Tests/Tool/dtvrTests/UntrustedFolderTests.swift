import Foundation
import Glibc
import TestSupport
import Testing

/// Buffers in folders that other users have prepared or may change.
///
/// The tests run as root, with files of the user 65534, whom `setpriv` also lets run the tool.
@Suite(.enabled(if: geteuid() == 0, "files cannot be given to another user"), .timeLimit(.minutes(30)))
struct UntrustedFolderTests {
    private static let playlist = Tool.demo + "/index.m3u8"
    private static let other: UInt32 = 65_534

    /// A file of a prepared folder, and what is wrong with it.
    enum Fault: String, CaseIterable, Sendable {
        case folderOfAnotherUser, folderForEveryone, stickyFolderForEveryone, lockOfAnotherUser
        case lockForEveryone, databaseOfAnotherUser

        /// Prepares a folder in which a buffer has been, and returns the path that the message names.
        func prepare(_ store: String) -> String {
            let other = UntrustedFolderTests.other
            let (name, owner, mode): (String, UInt32, mode_t) =
                switch self {
                case .folderOfAnotherUser: ("", other, 0o700)
                case .folderForEveryone: ("", 0, 0o777)
                case .stickyFolderForEveryone: ("", 0, 0o1777)
                case .lockOfAnotherUser: ("/lock", other, 0o600)
                case .lockForEveryone: ("/lock", 0, 0o666)
                case .databaseOfAnotherUser: ("/tags.sqlite", other, 0o600)
                }
            #expect(unsafe chown(store + name, owner, 0) == 0)
            #expect(unsafe chmod(store + name, mode) == 0)
            return store + name
        }
    }

    /// Creates a buffer with the tags of the demonstration.
    private static func makeBuffer(in store: String) async throws {
        let run = try await Tool.run("run", playlist, "--store", store)
        #expect(run.status == 0, "\(run.errors)")
    }

    private static func waitingCount(in store: String) async throws -> Int? {
        let status = try await Tool.run("store", "status", "--format", "json", "--store", store)
        let object = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
        return object?["waiting"] as? Int
    }

    @Test(arguments: Fault.allCases)
    func run_intoAFolderOfOthers_refusesWithStatus4AndThePath(fault: Fault) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        try await Self.makeBuffer(in: store)
        let path = fault.prepare(store)
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--wait", "0s")
        #expect(run.status == 4, "\(run.output)")
        #expect(run.errors.contains(path) && run.errors.contains("use another folder"), "\(run.errors)")
        #expect(try await Self.waitingCount(in: store) == 13)
    }

    @Test(arguments: Fault.allCases)
    func store_byRoot_managesTheBufferOfAnyUser(fault: Fault) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        try await Self.makeBuffer(in: store)
        _ = fault.prepare(store)
        for arguments in [["verify"], ["list"], ["export"], ["prune", "--older-than", "0s"]] {
            let result = try await Tool.run(arguments: ["store"] + arguments + ["--store", store])
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        #expect(try await Self.waitingCount(in: store) == 0)
    }

    /// The files that root leaves belong to the user, who can continue to use the buffer.
    @Test(arguments: [(other, 0, 0o700), (0, 2_000, 0o2775)] as [(UInt32, UInt32, mode_t)])
    func buffer_thatRootHasManaged_worksForItsUser(owner: UInt32, group: UInt32, mode: mode_t) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(unsafe mkdir(store, 0o700) == 0)
        #expect(unsafe chown(store, owner, group) == 0)
        #expect(unsafe chmod(store, mode) == 0)
        for count in 1...2 {
            let run = try await Self.runAsOther(["run", Self.playlist, "--store", store], group: 2_000)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await Self.waitingCount(in: store) == 13 * count)
            #expect(try await Tool.run("store", "verify", "--store", store).status == 0)
            // As in a pod whose volume gets the permissions of its group with each start.
            for name in try FileManager.default.contentsOfDirectory(atPath: store) {
                let facts = try FileManager.default.attributesOfItem(atPath: store + "/" + name)
                #expect(facts[.ownerAccountID] as? UInt32 == Self.other, "\(name)")
                if owner == 0 { #expect(unsafe chmod(store + "/" + name, 0o660) == 0) }
            }
        }
    }

    /// The process that serves the buffer, or the file of its socket, belongs to another user.
    @Test(arguments: [true, false])
    func run_whileAnotherUserServesTheBuffer_sendsNothing(isFileOfRoot: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        try await Self.makeBuffer(in: store)
        let lock = try FileHandle(forUpdating: URL(fileURLWithPath: store + "/lock"))
        #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
        #expect(unsafe chmod(store, 0o777) == 0)
        let received = folder.path + "/received"
        let server = try Self.start(
            "/usr/bin/setpriv",
            Self.options(group: nil) + [
                "/usr/bin/python3", "-c",
                """
                import socket, sys
                server = socket.socket(socket.AF_UNIX)
                server.bind(sys.argv[1])
                server.listen()
                print("listening", flush=True)
                while True:
                    client = server.accept()[0]
                    print(client.recv(100), flush=True)
                    client.close()
                """, store + "/buffer.sock",
            ], output: received)
        defer { server.killAndWait() }
        let output = { try String(decoding: Data(contentsOf: URL(fileURLWithPath: received)), as: UTF8.self) }
        try await wait(for: "the server", asking: { try output().contains("listening") })
        #expect(unsafe chmod(store, 0o700) == 0)
        #expect(unsafe chmod(store + "/buffer.sock", 0o700) == 0)
        if isFileOfRoot { #expect(unsafe chown(store + "/buffer.sock", 0, 0) == 0) }
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--wait", "0s")
        #expect(run.status == 4, "\(run.output)")
        #expect(
            run.errors.contains("buffer.sock") && run.errors.contains("user \(Self.other)"), "\(run.errors)")
        #expect(try !output().contains("POST"))
        withExtendedLifetime(lock) {}
    }

    // MARK: The other user

    private static func options(group: UInt32?) -> [String] {
        ["--reuid", "\(other)", "--regid", "\(other)"]
            + (group.map { ["--groups", "\($0)"] } ?? ["--clear-groups"])
    }

    private static func runAsOther(_ arguments: [String], group: UInt32?) async throws -> Tool.Result {
        let finished = try await FinishedProcess.of(
            "/usr/bin/setpriv", options(group: group) + [Tool.path] + arguments,
            environment: Tool.environment(home: "/nonexistent", [:]))
        return Tool.Result(
            status: finished.status, output: String(decoding: finished.output, as: UTF8.self),
            errors: String(decoding: finished.errors, as: UTF8.self))
    }

    private static func start(
        _ program: String, _ arguments: [String], output: String
    ) throws -> ChildProcess {
        #expect(FileManager.default.createFile(atPath: output, contents: nil))
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        let null = try #require(FileHandle(forUpdatingAtPath: "/dev/null"))
        defer { withExtendedLifetime((null, output)) {} }
        return try ChildProcess(
            program, arguments, input: null.fileDescriptor, output: output.fileDescriptor,
            errors: null.fileDescriptor)
    }
}
