import Foundation
import NielsenID3
import PlayerSession
import Reporting
import StreamHealth
import TestSupport
import Testing

@testable import PlayerCertification

/// Pings in lists of addresses and in HAR files, and the `vars` of AMP pages.
@Suite(.timeLimit(.minutes(30))) struct PingTests {
    static let inputs = Project.root + "/Tests/Products/PlayerCertificationTests/Inputs"

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(inputs)/\(name)")))
    }

    /// Returns the lines of an input that arrives in chunks.
    static func lines(of bytes: [UInt8], chunk: Int = 1 << 20) -> [CallLogLine] {
        var reader = CertificationReader()
        var lines: [CallLogLine] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            reader.read(Array(bytes[start..<min(start + chunk, bytes.count)])) { lines.append($0) }
        }
        reader.finish { lines.append($0) }
        return lines
    }

    static func report(on bytes: [UInt8], market: Market? = nil) -> CertificationReport {
        RuleTests.report(on: bytes, market: market)
    }

    static func status(_ id: String, _ report: CertificationReport) -> CheckStatus? {
        report.outcomes.first { $0.id.rawValue == id }?.status
    }

    /// Returns the pings of an input.
    static func pings(_ bytes: [UInt8]) -> [Ping] {
        lines(of: bytes).compactMap { line in
            if case .address(let address) = line.content { Ping(address) } else { nil }
        }
    }

    static let path = "https://secure-ire.nmrodam.com/cgi-bin/gn"

    /// Returns an entry of a HAR file.
    static func entry(_ request: String, before: String = "") -> String {
        #"{\#(before)"startedDateTime":"2026-05-28T20:26:00Z","request":{\#(request)},"response":{}}"#
    }

    static func archive(_ entries: String...) -> [UInt8] {
        Array(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
    }

    /// The examples of the guides violate no rule.
    @Test(arguments: ["ireland-android.txt", "ireland-ios.txt"])
    func examples_ofTheGuides_passEveryPingRule(name: String) throws {
        let report = Self.report(on: try Self.bytes(name))
        #expect(report.market == .ire)
        let findings = report.outcomes.flatMap(\.findings).map(\.detail)
        #expect(findings.isEmpty, "\(findings)")
        for rule in RuleRegistry.declarations where rule.id.rawValue.hasPrefix("ping.") {
            // Without calls, it is unknown whether the user has opted out.
            let expected: CheckStatus = rule.id.rawValue == "ping.opt-out" ? .notRun : .pass
            #expect(Self.status(rule.id.rawValue, report) == expected, "\(rule.id)")
        }
    }

    @Test func examples_ofTheGuides_areDecoded() throws {
        let android = try #require(Self.pings(try Self.bytes("ireland-android.txt")).first)
        #expect(
            android.isContent && !android.isLive && android.facility == "ire" && android.platform == .android)
        #expect(android["tl"] == "Djuren på Djuris" && android["cg"] == "Hemligheter")
        #expect(android["c6"] == "c01" && android["st"] == "dcr" && android.number("c61") == 1_630_053_997)
        #expect(android.event?.position == "0" && android.isOptedOut == false && !android.isRetry)
        #expect(android.session == "257f8bz854wmqa31gk3icyi7cmj131630053964")
        #expect(android.metadata(type: .content).text("isfullepisode") == "n")
        let ios = try #require(Self.pings(try Self.bytes("ireland-ios.txt")).first)
        #expect(ios.isAd && ios.platform == .ios && ios.event == nil && ios.characterCount == 1_683)
        #expect(ios["adidx"] == "1/1" && ios["c15"] == "Aftonbladet" && ios.number("c27") == 15)
    }

    /// The file has plain, base64 and gzip bodies, parameters, and requests that are not pings.
    ///
    /// It arrives in chunks of any size.
    @Test(arguments: [1, 7, 1 << 20])
    func archive_yieldsThePingsOfItsRequests(chunk: Int) throws {
        let lines = Self.lines(of: try Self.bytes("session.har"), chunk: chunk)
        #expect(lines.map(\.number) == [2, 3, 4, 5, 6])
        #expect(lines.map(\.at) == [35, 55.25, 75, 95, 115])
        let pings = lines.compactMap { line in
            if case .address(let address) = line.content { Ping(address) } else { nil }
        }
        #expect(pings.map(\.session) == ["pier0001", "pier0001", "pier0002", "pier0003", "pier0004"])
        #expect(
            pings.map { $0["ai"] } == ["HARBOUR0205", "HARBOUR0205", "ADPIER15", "ADPIER16", "HARBOUR0205"])
        #expect(pings.last?["tl"] == "The Pier" && pings.last?.event?.position == "0")
    }

    @Test func archive_isChecked_andPasses() throws {
        let report = Self.report(on: try Self.bytes("session.har"))
        let findings = report.outcomes.flatMap(\.findings).map(\.detail)
        #expect(findings.isEmpty && report.status == .pass, "\(findings)")
        #expect(report.headlines.first == "5 pings")
    }

    /// Browsers write some bodies as text with one character for each byte.
    @Test func compressedBody_asText_isDecoded() throws {
        // gzip of "ci=a&sessionId=b&cg=c".
        let compressed: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0x01, 0x15, 0x00, 0xEA, 0xFF,
        ]
        let text = Array("ci=a&sessionId=b&cg=c".utf8)
        let end: [UInt8] = Self.crc32(text) + [0x15, 0, 0, 0]
        let escaped = (compressed + text + end).map { byte in
            let digits = String(byte, radix: 16)
            return "\\u00" + (digits.count == 1 ? "0" : "") + digits
        }
        let request = #""url":"\#(Self.path)","postData":{"text":"\#(escaped.joined())"}"#
        #expect(Self.pings(Self.archive(Self.entry(request))).first?["cg"] == "c")
    }

    private static func crc32(_ bytes: [UInt8]) -> [UInt8] {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        value = ~value
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A damaged body is a finding with the number of the entry, and the other pings are checked.
    @Test(arguments: [
        #""url":"PATH","postData":{"text":"!!!","encoding":"base64"}"#,
        #""url":"PATH","postData":{"text":"H4sIAAAAAAAC","encoding":"base64"}"#,
    ])
    func damagedBody_isAFinding_andTheRestIsRead(request: String) {
        let bytes = Self.archive(Self.entry(request), Self.entry(#""url":"PATH?ci=a""#))
        let text = String(decoding: bytes, as: UTF8.self).replacing("PATH", with: Self.path)
        let lines = Self.lines(of: Array(text.utf8))
        #expect(lines.map(\.number) == [1, 2])
        #expect(lines.first?.content == .unreadable(reason: "the body of its request cannot be decoded"))
        #expect(lines.last?.content == .address(Self.path + "?ci=a"))
        #expect(Self.status("log.readable", Self.report(on: Array(text.utf8))) == .warn)
    }

    /// An entry is cut at 1,000 pings and at 16 MB of addresses, and the rest is one unreadable line.
    @Test(arguments: [
        (pings: 1_000, padding: 0, read: 1_000), (pings: 1_001, padding: 0, read: 1_000),
        (pings: 100_000, padding: 0, read: 1_000), (pings: 200, padding: 200_000, read: 83),
    ])
    func entryWithManyPings_isCutAtItsLimits(pings: Int, padding: Int, read: Int) {
        let address = Self.path + "?ci=" + String(repeating: "a", count: padding)
        let body = String(repeating: #"a=\n"#, count: pings)
        let entry = Self.entry(#""url":"\#(address)","postData":{"text":"\#(body)"}"#)
        let lines = Self.lines(of: Self.archive(entry, Self.entry(#""url":"\#(Self.path)?ci=b""#)))
        let isCut = read < pings
        #expect(lines.count == read + (isCut ? 2 : 1))
        #expect(lines.prefix(read).allSatisfy { $0.number == 1 && $0.content == .address(address + "&a=") })
        let reason = "its request has more than 1000 pings, or more than 16 MiB of them"
        #expect(!isCut || lines.dropFirst(read).first?.content == .unreadable(reason: reason))
        #expect(lines.last?.content == .address(Self.path + "?ci=b"))
    }

    @Test func truncatedArchive_isAFinding_afterItsPings() throws {
        let whole = Self.archive(Self.entry(#""url":"\#(Self.path)?ci=a""#), Self.entry(#""url":"x""#))
        for count in [whole.count - 1, whole.count - 20] {
            let lines = Self.lines(of: Array(whole[..<count]))
            let reason = "the JSON of the file is incomplete"
            #expect(
                lines.map(\.content) == [.address(Self.path + "?ci=a"), .unreadable(reason: reason)])
        }
        // A second JSON text after the file, and an unmatched bracket.
        for end in ["{}", "]"] {
            for chunk in [1, 1_000_000] {
                let lines = Self.lines(of: whole + Array(end.utf8), chunk: chunk)
                let reason = "the file is not JSON at byte \(whole.count + 1)"
                #expect(
                    lines.map(\.content) == [.address(Self.path + "?ci=a"), .unreadable(reason: reason)])
            }
        }
    }

    /// Unknown members of other tools are skipped, at any nesting depth.
    @Test func unknownArchiveMembers_areSkipped() {
        let nested = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let before = #""_a":\#(nested),"_b":{"request":{"url":"\#(Self.path)?ci=no"}},"_c":1e9,"_d":null,"#
        let request = #""_e":"\\\"","url":"\#(Self.path)?ci=a","postData":null"#
        let lines = Self.lines(of: Self.archive(Self.entry(request, before: before)), chunk: 3_333)
        #expect(lines.map(\.content) == [.address(Self.path + "?ci=a")])
    }

    /// A body of 64 MB is skipped in chunks.
    ///
    /// The chunk size and the length of a stored text limit the memory.
    @Test func largeResponse_isSkipped() {
        var reader = HARReader()
        var lines: [CallLogLine] = []
        let start = #"{"log":{"entries":[{"response":{"content":{"text":""#
        reader.read(Array(start.utf8)) { lines.append($0) }
        let chunk = [UInt8](repeating: 0x41, count: 1 << 20)
        for _ in 0..<64 { reader.read(chunk) { lines.append($0) } }
        let end = #""}},"request":{"url":"\#(Self.path)?ci=a"}}]}}"#
        reader.read(Array(end.utf8)) { lines.append($0) }
        reader.finish { lines.append($0) }
        #expect(lines.map(\.content) == [.address(Self.path + "?ci=a")])
    }

    /// An entry is a finding with its number if its address or body is invalid UTF-8, or is 10 MB long.
    @Test(arguments: [
        [0x22, 0xC3, 0x28, 0x22], [0x22] + [UInt8](repeating: 0x61, count: 10_000_000) + [0x22],
    ])
    func unreadableString_isAFinding_ifItMayBelongToAPing(string: [UInt8]) {
        let archive = Self.archive(
            Self.entry(#""url":MARK"#), Self.entry(#""url":"\#(Self.path)","postData":{"text":MARK}"#),
            Self.entry(#""url":"https://example.com/","postData":{"text":MARK}"#),
            Self.entry(#""url":"\#(Self.path)?ci=a","_a":MARK"#, before: #""_b":MARK,"#))
        let parts = String(decoding: archive, as: UTF8.self).split(separator: "MARK").map { Array($0.utf8) }
        var bytes = parts[0]
        for part in parts.dropFirst() { bytes += string + part }
        let lines = Self.lines(of: bytes, chunk: 100_000)
        #expect(lines.map(\.number) == [1, 2, 4])
        let reason = "its address, a body or a parameter is longer than 1 MiB, or is not UTF-8"
        let unreadable = CallLogLine.Content.unreadable(reason: reason)
        #expect(lines.map(\.content) == [unreadable, unreadable, .address(Self.path + "?ci=a")])
    }

    /// An address in a list is a finding if it is invalid UTF-8.
    @Test func unreadableAddress_isAFinding_andTheRestIsRead() {
        let bytes =
            Array("\(Self.path)?ci=a&tl=".utf8) + [0xC3, 0x28, 0x0A] + Array("\(Self.path)?ci=b\n".utf8)
        let unreadable = CallLogLine.Content.unreadable(reason: "it is not JSON at column 1")
        #expect(Self.lines(of: bytes).map(\.content) == [unreadable, .address(Self.path + "?ci=b")])
    }

    /// The limit applies to all parameters together: each may be short, and their number has no limit.
    @Test func oversizedParameters_areAFinding_andTheRestIsRead() {
        func request(_ count: Int) -> String {
            let parameter = #"{"name":"\#(String(repeating: "n", count: 1_000))","value":"v"}"#
            let parameters = [String](repeating: parameter, count: count).joined(separator: ",")
            return #""url":"\#(Self.path)?ci=a","postData":{"params":[\#(parameters)]}"#
        }
        let lines = Self.lines(of: Self.archive(Self.entry(request(2_000)), Self.entry(request(2))))
        #expect(lines.map { if case .unreadable = $0.content { true } else { false } } == [true, false])
    }

    /// The form is inserted before the fragment of the address.
    ///
    /// A number sign in the form does not start a fragment.
    @Test func formBody_mayContainBlanksAndNumberSigns() {
        let request = #""url":"\#(Self.path)?ci=a#top","postData":{"text":"tl=No.+1+#1&cg=c"}"#
        let ping = Self.pings(Self.archive(Self.entry(request))).first
        #expect(ping?["ci"] == "a" && ping?["tl"] == "No. 1 #1" && ping?["cg"] == "c")
        #expect(ping?.characterCount == Self.path.utf8.count + "?ci=a&tl=No.+1+%231&cg=c".utf8.count)
    }

    @Test(arguments: [
        "https://example.com/cgi-bin/gn", "https://example.com/gn?ci=a", "ftp://example.com/cgi-bin/gn?ci=a",
        "https://example.com/a?u=/cgi-bin/gn?ci=a", "https://example.com/cgi-bin/gn?x=1", "", "https://", "?",
        "#",
        "https://example.com/cgi-bin/gn#?ci=a",
    ])
    func otherAddress_isNotAPing(address: String) {
        #expect(Ping(address) == nil)
    }

    @Test func addressList_mayContainCommentsAndOtherAddresses() {
        let text = "# pings\n\nhttps://example.com/\n  \(Self.path)?ci=a&ci=b&c6=vc,c01&c9=x&=&%\r\nftp://x\n"
        let lines = Self.lines(of: Array(text.utf8))
        #expect(lines.map(\.number) == [3, 4, 5])
        #expect(lines.last?.content == .unreadable(reason: "it is not JSON at column 2"))
        let ping = Self.pings(Array(text.utf8)).last
        #expect(ping?["ci"] == "b" && ping?["c6"] == "c01" && ping?["c9"] == "x" && ping?["%"] == "")
    }

    /// The calls of a log determine the required values of the pings after them.
    @Test func pings_afterLoggedCalls_areCheckedAgainstThem() throws {
        let ping = try #require(
            String(decoding: try Self.bytes("ireland-ios.txt"), as: UTF8.self).split(separator: "\n").last)
        let start =
            #"{"instance":"a","call":"init","arguments":[{"appid":"T1","sfcode":"ire","enableFpid":FLAG}]}"#
        let out = #"{"instance":"a","call":"userOptOut","arguments":["nielsenappsdk://1"]}"#
        for (lines, id) in [
            ([start.replacing("FLAG", with: "false"), String(ping)], "ping.fpid"),
            ([start.replacing("FLAG", with: "true"), out, String(ping)], "ping.opt-out"),
        ] {
            let report = Self.report(on: Array(lines.joined(separator: "\n").utf8))
            let failed = report.outcomes.filter { $0.id.rawValue.hasPrefix("ping.") && $0.status == .fail }
            #expect(failed.map(\.id.rawValue) == [id])
        }
    }

    /// The example of the guide, on several lines, on one line, and without its outer object.
    @Test func ampPage_inEachForm_isRecognized() throws {
        let bytes = try Self.bytes("italy-amp.json")
        let one = bytes.filter { $0 != 0x0A }
        let text = String(decoding: one, as: UTF8.self)
        let bare = Array(
            text[try #require(text.range(of: #"\{\s+"apid"[^}]*\}"#, options: .regularExpression))].utf8)
        for form in [bytes, one, one + [0x0A], bare, [0xEF, 0xBB, 0xBF] + bytes] {
            let report = Self.report(on: form)
            #expect(report.market == .it && report.headlines.first == "1 page")
            #expect(Self.status("page.vars", report) == .pass, "\(report.outcomes.flatMap(\.findings))")
        }
        #expect(Self.status("page.vars", Self.report(on: bytes, market: .pl)) == .notRun)
        let wrong = text.replacing(#""apid": "X"#, with: #""apid": "PX"#).replacing("Google AMP", with: "AMP")
        let findings = Self.report(on: Array(wrong.utf8)).outcomes.flatMap(\.findings)
        #expect(findings.compactMap(\.subject?.key) == ["segC", "apid"])
    }
}
