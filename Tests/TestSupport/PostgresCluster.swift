import Foundation
public import Glibc
import Synchronization

/// A temporary PostgreSQL server on a Unix domain socket, stopped and deleted when the object is deallocated.
///
/// The server refuses to run as root, so a test that runs as root runs it as `postgres` or `nobody`.
public final class PostgresCluster: Sendable {
    /// A failed program, with its output.
    public struct Failure: Error, CustomStringConvertible {
        /// The output on standard error.
        public let description: String
    }

    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        do {
            return try FileManager.default.contentsOfDirectory(atPath: root).compactMap { Int($0) }.sorted()
                .map { "\(root)/\($0)/bin" }
                .last { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
        } catch {
            return nil
        }
    }()

    /// Whether PostgreSQL's programs are installed.
    public static let isAvailable = programs != nil

    private let folder: TemporaryFolder
    private let process = Mutex<ChildProcess?>(nil)

    /// Creates a server with the superuser `admin` and an empty database `dtvr`, and starts it.
    ///
    /// The role `secret` logs in with a password, every other role without one.
    public init() async throws {
        folder = try TemporaryFolder()
        if let user = Self.user, unsafe chown(folder.path, user.id, user.group) != 0 {
            throw Failure(description: "chown failed")
        }
        _ = try await run(
            "initdb",
            [
                "-D", folder.path + "/data", "-A", "trust", "-U", "admin", "-E", "UTF8", "--locale=C",
                "--no-sync",
            ])
        try folder.write("data/pg_hba.conf", "local all secret scram-sha-256\nlocal all all trust\n".utf8)
        if let user = Self.user, unsafe chown(folder.path + "/data/pg_hba.conf", user.id, user.group) != 0 {
            throw Failure(description: "chown failed")
        }
        try await start()
        _ = try await sql("CREATE DATABASE dtvr", database: "postgres")
    }

    deinit { process.withLock { $0?.killAndWait() } }

    /// The user that runs the server; nil for the user of the test.
    private static let user: (name: String, id: uid_t, group: gid_t)? = {
        guard geteuid() == 0 else { return nil }
        for name in ["postgres", "nobody"] {
            // The entry is valid until the next call, and its numbers are copied.
            if let entry = unsafe getpwnam(name) {
                return unsafe (name, entry.pointee.pw_uid, entry.pointee.pw_gid)
            }
        }
        return nil
    }()

    /// The owner of the server's files; nil for the user of the test.
    public static var owner: (id: uid_t, group: gid_t)? { user.map { ($0.id, $0.group) } }

    private static func command(_ program: String, _ arguments: [String]) -> (String, [String]) {
        let path = "\(programs ?? "")/\(program)"
        guard let user else { return (path, arguments) }
        let drop = ["--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups", path]
        return ("/usr/bin/setpriv", drop + arguments)
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let (path, arguments) = Self.command(program, arguments)
        let finished = try await FinishedProcess.of(
            path, arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"])
        guard finished.status == 0 else {
            throw Failure(description: String(decoding: finished.errors, as: UTF8.self))
        }
        return String(decoding: finished.output, as: UTF8.self)
    }

    /// Starts the server again after `stop`, and waits until it accepts connections.
    public func start() async throws {
        let log = folder.path + "/log"
        if !FileManager.default.fileExists(atPath: log) { try folder.write("log", "") }
        guard let output = FileHandle(forWritingAtPath: log),
            let null = FileHandle(forUpdatingAtPath: "/dev/null")
        else { throw Failure(description: "cannot open \(log)") }
        let (path, arguments) = Self.command(
            "postgres",
            [
                "-D", folder.path + "/data", "-c", "listen_addresses=", "-c",
                "unix_socket_directories=\(folder.path)", "-c", "fsync=off",
            ])
        let started = try ChildProcess(
            path, arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
            input: null.fileDescriptor, output: output.fileDescriptor, errors: output.fileDescriptor)
        process.withLock { $0 = started }
        try await wait(for: "a PostgreSQL server") { [folder] in
            if started.hasEnded {
                throw Failure(description: try String(contentsOfFile: folder.path + "/log", encoding: .utf8))
            }
            let (path, arguments) = Self.command("pg_isready", ["-q", "-h", folder.path, "-t", "1"])
            return try await FinishedProcess.of(path, arguments).status == 0
        }
    }

    /// Stops the server at once, as `pg_ctl stop -m immediate` does.
    public func stop() async {
        let running = process.withLock { $0 }
        running?.signal(SIGQUIT)
        _ = await running?.exitStatus()
    }

    /// Stops all processes of the server and keeps its sockets open, as a paused container does.
    ///
    /// Call `resume` before the server is deallocated.
    public func pause() throws { try signalAll(SIGSTOP) }

    /// Continues after `pause`.
    public func resume() throws { try signalAll(SIGCONT) }

    private func signalAll(_ number: Int32) throws {
        guard let server = process.withLock({ $0?.processIdentifier }) else { return }
        kill(server, number)
        for process in try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap({ pid_t($0) })
        {
            // The parent is the second field after the name in parentheses. A process that has ended has none.
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let fields = status?.split(separator: ")").last?.split(separator: " ") ?? []
            if fields.count > 1, pid_t(fields[1]) == server { kill(process, number) }
        }
    }

    /// Returns the server's log; the server logs an error before it sends the error to the client.
    public func log() throws -> String { try String(contentsOfFile: folder.path + "/log", encoding: .utf8) }

    /// Runs SQL with psql, and returns the rows, with columns separated by `|`.
    public func sql(
        _ text: String, user: String = "admin", database: String = "dtvr"
    ) async throws -> String {
        let rows = try await run(
            "psql",
            [
                "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-U", user, "-d",
                database,
                "-c", text,
            ])
        return rows.trimmingCharacters(in: .newlines)
    }

    /// Returns the URI of a database for a role.
    public func uri(user: String = "admin", database: String = "dtvr") -> String {
        "postgres://\(user)@/\(database)?host=\(folder.path)"
    }

    /// Creates a login role that is a member of another one.
    public func makeUser(_ name: String, in role: String) async throws {
        _ = try await sql("CREATE ROLE \(name) LOGIN PASSWORD 'right' IN ROLE \(role)")
    }
}
