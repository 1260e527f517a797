import HTTPServing
import StreamMonitor
import Testing

/// The requests that are answered, and those that may make changes.
@Suite(.timeLimit(.minutes(30))) struct MonitorAccessTests {
    static let token = "a-token-of-tests-0123"

    /// Returns the status of the response to a request for `/api/channels`, or for a pause if `isChange` is true.
    private static func status(
        token: String?, _ fields: [String: String], isChange: Bool = false
    ) async throws -> Int {
        let station = try MonitoredStation(channels: 1)
        var status = 0
        _ = try await station.monitor(station.channels(1...1), for: 1) { monitor, _ in
            let path = isChange ? "/api/channels/ch1/pause" : "/api/channels"
            status =
                station.site(of: monitor, token: token).answer(
                    to: .local(isChange ? "POST" : "GET", path, fields)
                ).status
        }
        return status
    }

    @Test(arguments: [
        ("127.0.0.1:9464", 200), ("127.0.0.1", 200), ("localhost:9464", 200), ("LOCALHOST", 200),
        ("127.8.9.1:1", 200), ("[::1]:9464", 200), ("[::1]", 200), ("", 421), ("example.com", 421),
        ("127.0.0.1.example.com:9464", 421), ("localhost.example.com", 421), ("192.0.2.1:9464", 421),
        ("10.0.0.1", 421), ("[2001:db8::1]:9464", 421), (":9464", 421), ("127.0.0.1:x", 421),
    ])
    func request_withNonLocalHost_isRefused(host: String, expected: Int) async throws {
        #expect(try await Self.status(token: nil, ["Host": host]) == expected)
    }

    @Test(arguments: [
        ("Bearer \(token)", 200), ("bearer  \(token) ", 200), ("Bearer \(token)x", 401),
        ("Bearer \(token.dropLast())", 401), ("Bearer ", 401), ("Basic \(token)", 401), (token, 401),
        ("", 401),
    ])
    func token_ifConfigured_isRequired(field: String, expected: Int) async throws {
        let fields = ["Host": "monitor.example", "Authorization": field]
        #expect(try await Self.status(token: Self.token, fields) == expected)
        #expect(try await Self.status(token: Self.token, fields, isChange: true) == expected)
    }

    @Test func signIn_setsACookie_thatAllowsChangesOnlyFromTheSameHost() async throws {
        let station = try MonitoredStation(channels: 1)
        _ = try await station.monitor(station.channels(1...1), for: 1) { monitor, seconds in
            guard seconds == 0 else { return }
            let site = station.site(of: monitor, token: Self.token)
            func answer(_ method: String, _ path: String, _ fields: [String: String], _ body: String = "")
                -> HTTPServerAnswer
            {
                let host = ["Host": "monitor.example:1"].merging(fields) { $1 }
                return site.answer(to: .local(method, path, host), body: Array(body.utf8))
            }
            let page = answer("GET", "/api/channels", ["Accept": "text/html,*/*"])
            #expect(page.status == 401)
            #expect(String(decoding: page.body, as: UTF8.self).contains("action=\"/sign-in\""))
            let wrong = answer("POST", "/sign-in", [:], "token=nothing")
            #expect(wrong.status == 401 && wrong.fields.allSatisfy { $0.name != "Set-Cookie" })
            let right = answer("POST", "/sign-in", [:], "x=1&token=a%2Dtoken-of-tests-0123+")
            #expect(right.status == 303)
            #expect(right.fields.contains(.init(name: "Location", value: "/")))
            let field = right.fields.first { $0.name == "Set-Cookie" }?.value ?? ""
            #expect(field.contains("; HttpOnly") && field.contains("; SameSite=Strict"))
            #expect(!field.contains("Secure") && !field.contains(Self.token))
            let proxied = answer("POST", "/sign-in", ["X-Forwarded-Proto": "https"], "token=\(Self.token)")
            #expect(proxied.fields.contains { $0.name == "Set-Cookie" && $0.value.hasSuffix("; Secure") })
            let cookie = String(field.prefix { $0 != ";" })
            #expect(answer("GET", "/api/channels", ["Cookie": "a=b; \(cookie)"]).status == 200)
            #expect(answer("GET", "/api/channels", ["Cookie": "\(cookie)0"]).status == 401)
            #expect(answer("GET", "/api/channels", ["Cookie": "dtvr_monitor="]).status == 401)
            let pause = "/api/channels/ch1/pause"
            let origins = [
                "http://monitor.example:1": 200, "https://monitor.example:1": 200,
                "http://monitor.example": 403,
                "http://other.example:1": 403, "null": 403, "": 403, "monitor.example:1": 403,
                "http://monitor.example:1.other.example": 403, "http://monitor.example:12": 403,
                "http://monitor.example:1/": 403, "http://other.monitor.example:1": 403,
                "ftp://monitor.example:1": 403, "xhttp://monitor.example:1": 403,
            ]
            for (origin, expected) in origins {
                #expect(
                    answer("POST", pause, ["Cookie": cookie, "Origin": origin]).status == expected,
                    "\(origin)")
            }
            #expect(answer("POST", pause, ["Cookie": cookie]).status == 403)
        }
    }
}
