import Foundation
import TestSupport
import Testing

/// `--header`, `--client-cert`, `--proxy`, and `--channels` with `--channel`, of the commands that read inputs.
@Suite(.timeLimit(.minutes(30))) struct InputConnectionTests {
    private static let token = "secret-token-1"
    private static let demo = Tool.demo + "/audio"

    /// Starts a server of the rendition that refuses requests without the token, also as a proxy.
    private static func server() throws -> LoopbackServer {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: demo) {
            files[name] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(demo)/\(name)")))
        }
        let resources = files
        return try LoopbackServer { request in
            let name = String(request.target.split(separator: "/").last ?? "")
            guard request.header.contains("X-Token: \(token)"), let bytes = resources[name] else {
                return [response("403 Forbidden")]
            }
            return ServedResource(bytes).answer(to: request)
        }
    }

    private static func run(_ arguments: [String]) async throws -> Tool.Result {
        let result = try await Tool.run(arguments: arguments, environment: ["TOKEN": token])
        #expect(!(result.output + result.errors).contains(token), "\(arguments)")
        return result
    }

    @Test func protectedInput_isReadByEachCommand_withTheHeaderAndOnlyWithIt() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let url = server.base + "/index.m3u8"
        #expect(try await Self.run(["check", url]).status == 3)
        let header = ["--header", "X-Other: 1", "--header", "X-Token: ${TOKEN}"]
        for call in [
            ["check", url], ["scan", url], ["run", url, "--store", folder.path + "/store"],
            ["certify", CertifyTests.good, "--against", url],
        ] {
            let result = try await Self.run(call + header)
            #expect(result.status <= 1 && !result.output.isEmpty, "\(result)")
        }
        #expect(server.requests.last?.header.contains("X-Other: 1") == true)
    }

    @Test func channel_isReadWithItsHeader_andItsHeaderGoesToNoOtherHost() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "channels",
            """
            [channel one]
            url = \(server.base)/index.m3u8
            header = X-Token: ${TOKEN}
            """.utf8)
        let channel = ["--channels", file, "--channel", "one"]
        #expect(try await Self.run(["check"] + channel).status == 0)
        #expect(try await Self.run(["certify", CertifyTests.good] + channel).status <= 1)
        #expect(try await Self.run(["scan", server.base + "/index.m3u8"] + channel).status == 0)
        let other = server.base.replacing("127.0.0.1", with: "localhost") + "/index.m3u8"
        let result = try await Self.run(["check", other] + channel)
        #expect(result.status == 3 && result.errors.contains("not for the host"), "\(result)")
        #expect(server.requests.last?.header.contains("X-Token") == false)
    }

    @Test func input_withAProxy_isReadThroughIt() async throws {
        let proxy = try Self.server()
        defer { proxy.stop() }
        let address = proxy.base.replacing("http://", with: "http://user:pass-word-1@")
        let result = try await Self.run([
            "check", "--proxy", address, "--header", "X-Token: ${TOKEN}", "http://stream.example/index.m3u8",
        ])
        #expect(result.status == 0 && !result.errors.contains("pass-word-1"), "\(result)")
        #expect(proxy.requests.allSatisfy { $0.target.hasPrefix("http://stream.example/") })
    }

    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func input_withAClientCertificate_isRead() async throws {
        let folder = try TemporaryFolder()
        let server = try await TLSServer(Self.demo, certificates: folder.path, requiresCertificate: true)
        let call = ["check", "--cacert", server.authority, server.base + "/index.m3u8"]
        #expect(try await Self.run(call).status == 3)
        #expect(try await Self.run(call + ["--client-cert", server.clientIdentity]).status == 0)
    }

    @Test(arguments: [
        (["--header", "X-Token"], "--header takes 'Name: value'"),
        (["--header", "X-Token: ${NONE}"], "--header: the variable NONE is not set"),
        (["--header", "X-Token: a #b"], "--header must not contain"),
        (["--proxy", "socks5://a"], "--proxy takes an http address"),
        (["--client-cert", "/etc/hostname"], "--client-cert: '/etc/hostname' contains no PEM certificate"),
        (["--channel", "one"], "--channel requires --channels"),
        (["--channels", "/etc/hostname"], "--channels requires --channel"),
    ])
    func invalidConnection_isAUsageError(flags: [String], message: String) async throws {
        let result = try await Self.run(["check", "in.ts"] + flags)
        #expect(result.status == 2 && result.errors.hasPrefix("dtvr: \(message)"), "\(result.errors)")
    }
}
