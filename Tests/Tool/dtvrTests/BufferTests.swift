import Foundation
import Glibc
import TestSupport
import Testing

/// The buffer as a user sees it when its disk is full, read-only or removed.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BufferTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// Whether this process may mount file systems in a separate namespace.
    static let mayMount: Bool = {
        guard geteuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Runs a shell script in a separate mount namespace.
    ///
    /// `$1` is the tool, `$2` an empty folder, `$3` the playlist and `$4` the argument of the test.
    private func run(
        _ script: String, in folder: String, _ more: String...
    ) async throws -> Tool.Result {
        let finished = try await FinishedProcess.of(
            "/usr/bin/unshare",
            ["-m", "sh", "-c", script, "sh", Tool.path, folder, Self.playlist] + more,
            environment: Tool.environment(home: folder, ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]))
        return Tool.Result(
            status: finished.status, output: String(decoding: finished.output, as: UTF8.self),
            errors: String(decoding: finished.errors, as: UTF8.self))
    }

    private func status(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    /// The disk has no space for the database to grow, nor for a reserve: the tags are in memory, and lost at the end.
    @Test(.enabled(if: mayMount, "file systems cannot be mounted here"))
    func run_onAFullDisk_countsTheLossAndExitsWith4() async throws {
        let folder = try TemporaryFolder()
        let result = try await run(
            """
            mkdir "$2/disk" && mount -t tmpfs -o size=2m,mode=0700 none "$2/disk" && cd "$2/disk" || exit 99
            "$1" run "$3" --store store >/dev/null || exit 98
            : > store/reserve
            dd if=/dev/zero of=filler bs=4096 2>/dev/null
            "$1" store prune --older-than 0s --store store >&2 || exit 97
            "$1" run "$3" --store store; first=$?
            "$1" store status --format json --store store >&2 || exit 96
            exit $first
            """, in: folder.path)
        #expect(result.status == 4, "\(result.errors)")
        #expect(result.errors.contains("13 tags were in memory only"), "\(result.errors)")
        let json = try #require(result.errors.split(separator: "\n").last.map(String.init))
        let status = try status(json)
        #expect((status["losses"] as? [String: Any])?["memory_lost"] as? Int == 13, "\(json)")
        #expect(status["accepted"] as? Int == 13)
        #expect(status["waiting"] as? Int == 0)
    }

    /// A new buffer on a full disk is in memory, and on the disk as soon as there is space.
    @Test(.enabled(if: mayMount, "file systems cannot be mounted here"), arguments: [true, false])
    func monitor_onAFullDisk_startsWithANewBuffer(hasSpaceLater: Bool) async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let result = try await run(
            """
            mkdir "$2/disk" && mount -t tmpfs -o size=2m,mode=0700 none "$2/disk" && cd "$2/disk" || exit 99
            dd if=/dev/zero of=filler bs=4096 2>/dev/null
            "$1" monitor "$4" --format jsonl --store store >"$2/output" & tool=$!
            for i in $(seq 6000); do
                if grep -q '"type":"tag"' "$2/output"; then break; fi
                sleep 0.1
            done
            \(hasSpaceLater ? "rm filler" : "")
            kill -TERM $tool; wait $tool; first=$?
            rm -f filler
            "$1" store status --format json --store store >&2 || exit 96
            exit $first
            """, in: folder.path, station.urls[0])
        #expect(result.status == (hasSpaceLater ? 0 : 4), "\(result.errors.suffix(2_000))")
        let status = try status(try #require(result.errors.split(separator: "\n").last.map(String.init)))
        let lost = (status["losses"] as? [String: Any])?["memory_lost"] as? Int ?? 0
        let waiting = status["waiting"] as? Int ?? 0
        #expect(hasSpaceLater ? lost == 0 && waiting > 0 : waiting == 0, "\(status)")
        if !hasSpaceLater {
            let reason = " in memory only, because the disk is full"
            #expect(result.errors.contains(reason), "\(result.errors.suffix(2_000))")
        }
    }

    /// The store is not written to, and all its contents can be read.
    @Test(.enabled(if: mayMount, "file systems cannot be mounted here"))
    func store_onAReadOnlyFileSystem_isReadable() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let made = try await Tool.run("run", Self.playlist, "--store", store)
        #expect(made.status == 0)
        let writable = try await Tool.run("store", "export", "--store", store)
        #expect(writable.outputLines.count == 13)
        let prefix = """
            mount --bind "$2/store" "$2/store" && mount -o remount,ro,bind "$2/store" || exit 99
            export TMPDIR="$2"
            """
        for action in ["status --format json", "list", "export", "verify"] {
            let result = try await run(
                "\(prefix)\n\"$1\" store \(action) --store \"$2/store\"", in: folder.path)
            #expect(result.status == 0, "\(action): \(result.errors)")
            #expect(result.errors == "", "\(action)")
            switch action {
            case "export": #expect(result.output == writable.output)
            case "list": #expect(result.outputLines.count == 14)
            case "verify": #expect(result.output.hasPrefix("13 rows read, 0 damaged"), "\(result.output)")
            default:
                let status = try status(result.output)
                #expect(status["waiting"] as? Int == 13 && status["max_bytes"] as? Int == 30_000_000)
                #expect(status["directory"] as? String == store)
            }
        }
        let refused = try await run(
            "\(prefix)\n\"$1\" store prune --older-than 0s --store \"$2/store\"", in: folder.path)
        #expect(refused.status == 4 && refused.errors.contains("cannot be written"), "\(refused.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
    }

    /// The folder is removed while the tool waits for input.
    ///
    /// Later tags cannot be stored; even without later tags, the earlier ones are lost.
    @Test(arguments: ["seg00000.ts", "seg00002.ts"])
    func run_whoseStoreIsRemoved_exitsWith4(segment: String) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let input = Pipe()
        let errors = try #require(FileHandle(forUpdatingAtPath: try folder.write("errors", [])))
        let tool = try Tool.start(
            arguments: ["run", "-", "--store", store], home: folder.path,
            input: input.fileHandleForReading, errors: errors)
        // The tool writes the status file when the store is open.
        try await wait(for: "the status") { FileManager.default.fileExists(atPath: store + "/status.json") }
        try FileManager.default.removeItem(atPath: store)
        try input.fileHandleForWriting.write(
            contentsOf: try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v360/" + segment)))
        try input.fileHandleForWriting.close()
        #expect(await tool.exitStatus() == 4)
        let text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/errors")), as: UTF8.self)
        #expect(text.contains("was removed while in use"), "\(text)")
    }

    /// The cause is named no matter where the limit is reached: in the folder, in its files, or in SQLite.
    @Test func buffer_withoutFreeDescriptors_namesTheCause() async throws {
        let folder = try TemporaryFolder()
        let command = "'\(Tool.path)' store status --store '\(folder.path)/store'"
        #expect(try await Tool.run("run", Self.playlist, "--store", folder.path + "/store").status == 0)
        var failures = 0
        // With fewer descriptors the program does not start; with more, it has enough.
        for count in 7...12 {
            let limited = try await FinishedProcess.of("/bin/sh", ["-c", "ulimit -n \(count); \(command)"])
            if limited.status == 0 { continue }
            failures += 1
            let errors = String(decoding: limited.errors, as: UTF8.self)
            #expect(limited.status == 4 && errors.hasSuffix(": too many open files\n"), "\(count): \(errors)")
        }
        #expect(failures > 0)
    }
}
