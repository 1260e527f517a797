import Foundation
import TestSupport
import Testing

extension SettingEffectTests {
    static func collector(_ folder: TemporaryFolder) async throws {
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let store = folder.path + "/store"
        _ = try await output("run", playlist, "--store", store, "--collector", collector.url)
        #expect(try await collector.counts() == [13, 0, 0])
    }

    static func listen(_ folder: TemporaryFolder) async throws {
        for address in ["127.0.0.2:0", "[::1]:0", "localhost:0"] {
            let collector = try await RunningCollector.start(
                folder: folder.path + "/collected", "--listen", address)
            let host = address == "localhost:0" ? "127.0.0.1" : String(address.dropLast(2))
            #expect(collector.url.hasPrefix("http://\(host):"), "\(collector.url)")
            #expect(try await collector.counts() == [0, 0, 0])
            await collector.stop()
        }
    }

    static func listenToken(_ folder: TemporaryFolder) async throws {
        let token = "a-token-of-tests-0123"
        let monitor = try await RunningMonitor.start(
            ["http://127.0.0.1:9/a.m3u8", "--listen-token-file", folder.write("token", token.utf8)],
            in: folder
        )
        for (sent, expected) in [(nil, 401), ("another-token-0123", 401), (token, 200)] as [(String?, Int)] {
            #expect(try await monitor.answer(to: "metrics", token: sent).status == expected)
        }
        #expect(await monitor.stop() == 0)
    }

    static func collectedFolder(_ folder: TemporaryFolder) async throws {
        let collected = folder.path + "/elsewhere"
        let collector = try await RunningCollector.start(folder: folder.path + "/here", "--dir", collected)
        let store = folder.path + "/store"
        _ = try await output("run", playlist, "--store", store, "--collector", collector.url)
        await collector.stop()
        let bytes = try FileManager.default.contentsOfDirectory(atPath: collected).reduce(0) {
            try $0 + Data(contentsOf: URL(fileURLWithPath: collected + "/" + $1)).count
        }
        #expect(bytes > 13 * 249)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/here"))
    }

    static func token(_ folder: TemporaryFolder) async throws {
        let token = try folder.write("token", "abc".utf8)
        let collector = try await RunningCollector.start(
            folder: folder.path + "/collected", "--token-file", token)
        let store = folder.path + "/store"
        let call = ["run", segment, "--store", store, "--collector", collector.url]
        #expect(try await Tool.run(arguments: call).status == 5)
        // Only a command that a user waits for sends the same tags again immediately.
        let upload = ["upload", "--store", store, "--collector", collector.url]
        #expect(try await Tool.run(arguments: upload + ["--token-file", token]).status == 0)
        #expect(try await collector.status(token: "abc")["accepted"] as? Int == 1)
    }

    /// `DeliveryTests` shows with a generated certificate that a valid file is trusted.
    static func authorities(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("cert.pem", "no certificate".utf8)
        let server = try LoopbackServer(serving: [:])
        defer { server.stop() }
        let address = server.base.replacing("http:", with: "https:")
        let result = try await Tool.run("scan", "--cacert", file, address)
        #expect(result.status == 3 && result.errors.contains("CACERT"), "\(result.errors)")
        #expect(try await status("scan", "--cacert", "/no/such.pem", address) == 2)
    }

    /// `DeliveryTests` shows with a generated certificate that a valid pair is served.
    static func certificate(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("cert.pem", "no certificate".utf8)
        let call = ["collect", "--listen", "127.0.0.1:0", "--dir", folder.path + "/collected"]
        for options in [["--certificate", file, "--key", file], ["--certificate", file], ["--key", file]] {
            let result = try await Tool.run(arguments: call + options)
            #expect(
                result.status == 4 && result.output.isEmpty && !result.errors.isEmpty, "\(options): \(result)"
            )
        }
    }

    /// `LedgerTests` shows the other effects of the settings of a ledger, with a database.
    static func ledger(_ folder: TemporaryFolder) async throws {
        let address = "postgres:///dtvr?host=\(folder.path)"
        #expect(try await status("ledger", "status", "--ledger", address) == 4)
        #expect(try await status("ledger", "status") == 2)
    }

    static func retention(_ folder: TemporaryFolder) async throws {
        let call = ["ledger", "prune", "--ledger", "postgres:///dtvr?host=\(folder.path)"]
        #expect(try await Tool.run(arguments: call).status == 2)
        #expect(try await Tool.run(arguments: call + ["--retention", "23h"]).status == 2)
        #expect(try await Tool.run(arguments: call + ["--retention", "400d"]).status == 4)
    }

    /// `LedgerReportTests` shows the effects on a report, with a database.
    static func reportDays(_ folder: TemporaryFolder) async throws {
        let call = ["ledger", "report", "--ledger", "postgres:///dtvr?host=\(folder.path)"]
        for (days, status) in [
            (["--from", "2024-02-30"], 2), (["--to", "yesterday"], 2), (["--from", "2024-2-1"], 2),
            (["--from", "2024-02-02", "--to", "2024-02-01"], 2),
            (["--from", "2020-01-01", "--to", "2024-01-01"], 2),
            (["--from", "2024-02-01", "--to", "2024-02-01"], 4), (["--to", "2024-02-01"], 4), ([], 4),
        ] as [([String], Int32)] {
            #expect(try await Tool.run(arguments: call + days).status == status, "\(days)")
        }
    }

    static func reportChannels(_ folder: TemporaryFolder) async throws {
        let address = "postgres:///dtvr?host=\(folder.path)"
        for setting in [["--channel", "a,b"], ["--time-zone", "Europe/Oslo"]] {
            let status = ["ledger", "status", "--ledger", address] + setting
            #expect(try await Tool.run(arguments: status).status == 2)
            let report = ["ledger", "report", "--ledger", address] + setting
            #expect(try await Tool.run(arguments: report).status == 4)
        }
    }

    static func plainHTTP(_ folder: TemporaryFolder) async throws {
        let address = "postgres:///dtvr?host=\(folder.path)"
        let call = ["collect", "--ledger", address, "--listen", "0.0.0.0:0"]
        #expect(try await Tool.run(arguments: call).status == 2)
        let collector = try await RunningCollector.start(
            ledger: address, home: folder.path, ["--allow-plain"], listen: "0.0.0.0:0")
        #expect(collector.url.hasPrefix("http://0.0.0.0:"))
        await collector.stop()
    }

    /// A command exits with 130 when it is asked to stop, a service with 0.
    static func follow(_ folder: TemporaryFolder) async throws {
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        for (options, status) in [(["--follow"], Int32(0)), ([], 130)] {
            let count = server.requests.count
            let tool = try await InterruptedTool(
                ["upload", "--store", store, "--collector", server.base] + options
            ) { _ in
                server.requests.count > count
            }
            #expect(tool.result.status == status)
            #expect(tool.result.errors.contains("until stopped") == (status == 0), "\(tool.result)")
        }
    }
}
