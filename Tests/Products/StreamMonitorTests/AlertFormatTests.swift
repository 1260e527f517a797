import Foundation
import NielsenID3
import StreamHealth
import Synchronization
import TestSupport
import Testing

@testable import StreamMonitor

/// The bodies for each receiver.
///
/// They are compared with schemas that were written by hand from the documentation of PagerDuty (Events API v2), Slack
/// (incoming webhooks, Block Kit) and Microsoft (Adaptive Cards 1.4). `Tests/System/alertmanager-test.py` sends those
/// for Alertmanager to a real one.
@Suite struct AlertFormatTests {
    private typealias Object = [String: Any]

    private static let check = CheckID("presence.silent")
    /// A name with everything that a format could misunderstand.
    private static let name = #"<!channel> & "One" \ <http://x|y> *b* [t](u)"# + "\n\u{1B}"

    private static let scopes: [Alert.Scope] = [
        .channel("one-hd"), .host("cdn.example", channels: (1...30).map { "ch\($0)" }), .monitor,
    ]

    private static func body(
        _ format: AlertFormat, _ scope: Alert.Scope, isCleared: Bool = false,
        detail: String = "No DATA tag for <30> s & more", isPublic: Bool = true
    ) -> String {
        let alert = Alert(scope: scope, check: check, since: 1_800_000_000, severity: .fail, detail: detail)
        let change: AlertChange = isCleared ? .cleared(alert.ended(at: 1_800_000_060)) : .raised(alert)
        var links = AlertLinks(documentation: CheckDocumentation(prefix: "https://wiki.example/?a=1&c="))
        links.pages = "https://dtvr.example/m/"
        links.isPublic = isPublic
        links.instance = "monitor-1:9464"
        let facts = links.facts(of: alert) { ($0 == "one-hd" ? name : $0, "https://cdn.example/one.m3u8?…") }
        return format.body(of: change, at: 1_800_000_090_000, evidence: nil, facts: facts)
    }

    private static func object(_ text: some Collection<UInt8>) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text))
    }

    /// Returns all texts within a JSON value.
    private static func texts(_ value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(texts)
        case let object as Object: object.values.flatMap(texts)
        default: []
        }
    }

    @Test(arguments: AlertFormat.allCases)
    func eachFormat_hasNameAddressPageAndAdvice(format: AlertFormat) throws {
        for scope in Self.scopes {
            let all = Self.texts(try Self.object(Self.body(format, scope).utf8)).joined(separator: "\n")
            let advice = try #require(Self.check.declaration?.action)
            #expect(all.contains(advice), "\(all)")
            #expect(all.contains("https://dtvr.example/m/"))
            switch scope {
            case .channel:
                #expect(all.contains("One") && all.contains("https://cdn.example/one.m3u8?…"))
                #expect(all.contains("https://dtvr.example/m/channels/one-hd"))
            case .host: #expect(all.contains("cdn.example"))
            case .monitor: #expect(format == .dtvr || all.contains("monitor-1:9464"))
            }
        }
    }

    /// Receivers of today get the same bytes as before unless the operator names the pages.
    @Test func dtvrFormat_withoutPublicURL_hasOnlyTheMembersOfLines() throws {
        let text = Self.body(.dtvr, .channel("one-hd"), isPublic: false)
        #expect(
            text
                == #"{"type":"alert","action":"raise","id":"one-hd/presence.silent/1800000000000","channel":"one-hd","#
                + #""check":"presence.silent","severity":"fail","at":"2027-01-15T08:01:30.000Z","#
                + #""since":"2027-01-15T08:00:00.000Z","detail":"No DATA tag for <30> s & more","evidence":null,"#
                + #""docs":"https://wiki.example/?a=1&c=presence.silent"}"#)
    }

    @Test func alertmanager_hasStableLabels_andAnEndOnlyWhenCleared() throws {
        for scope in Self.scopes {
            let open = try #require(
                try Self.object(Self.body(.alertmanager, scope).utf8) as? [Object])[0]
            let cleared = try #require(
                try Self.object(Self.body(.alertmanager, scope, isCleared: true, detail: "other").utf8)
                    as? [Object])[0]
            #expect(open["labels"] as? [String: String] == cleared["labels"] as? [String: String])
            let labels = try #require(open["labels"] as? [String: String])
            #expect(labels["alertname"] == "presence.silent" && labels["severity"] == "critical")
            #expect(labels["instance"] == "monitor-1:9464" && !labels.values.contains(""))
            #expect((open["annotations"] as? [String: String])?["description"] != nil)
            #expect(open["startsAt"] as? String == "2027-01-15T08:00:00.000Z" && open["endsAt"] == nil)
            #expect(cleared["endsAt"] as? String == "2027-01-15T08:01:30.000Z")
        }
    }

    @Test func pagerDuty_triggersAndResolvesByTheIdOfTheAlert_withTheRoutingKeyOnlyWhenSent() throws {
        for scope in Self.scopes {
            for isCleared in [false, true] {
                let stored = Self.body(.pagerduty, scope, isCleared: isCleared)
                #expect(!stored.contains("routing_key"))
                let sent = AlertFormat.pagerduty.payload(stored, key: Array("k\"ey".utf8))
                let event = try #require(try Self.object(sent) as? Object)
                #expect(event["routing_key"] as? String == "k\"ey")
                #expect(event["event_action"] as? String == (isCleared ? "resolve" : "trigger"))
                let key = try #require(event["dedup_key"] as? String)
                #expect(key.hasSuffix("/1800000000000") && key.count <= 255)
                let payload = try #require(event["payload"] as? Object)
                #expect((payload["summary"] as? String).map { (1...1_024).contains($0.count) } == true)
                #expect((payload["source"] as? String)?.isEmpty == false)
                #expect(payload["severity"] as? String == "critical")
                #expect(payload["custom_details"] is Object)
                for link in try #require(event["links"] as? [[String: String]]) {
                    #expect(Set(link.keys) == ["href", "text"])
                }
            }
        }
        let long = Self.body(.pagerduty, .host(String(repeating: "a", count: 253), channels: ["a"]))
        let event = try #require(try Self.object(long.utf8) as? Object)
        #expect((event["dedup_key"] as? String)?.hasPrefix("sha256:") == true)
    }

    @Test func slack_hasBlocksWithinTheLimits_andNoMarkupOfOthers() throws {
        for scope in Self.scopes {
            let detail = String(repeating: "<&>", count: 5_000)
            let message = try #require(
                try Self.object(Self.body(.slack, scope, detail: detail).utf8) as? Object)
            #expect((message["text"] as? String)?.isEmpty == false)
            let blocks = try #require(message["blocks"] as? [Object])
            #expect((1...50).contains(blocks.count))
            for block in blocks {
                switch block["type"] as? String {
                case "section":
                    let texts = ([block["text"]] + (block["fields"] as? [Object] ?? [])).compactMap {
                        $0 as? Object
                    }
                    #expect((1...10).contains(texts.count))
                    for text in texts {
                        #expect(text["type"] as? String == "mrkdwn")
                        let limit = block["fields"] == nil ? 3_000 : 2_000
                        #expect(
                            (text["text"] as? String).map { (1...limit).contains($0.utf16.count) } == true)
                    }
                case "context": #expect((block["elements"] as? [Object])?.count == 2)
                default: Issue.record("\(block)")
                }
            }
            // Angle brackets only around our own links.
            let marked = Self.texts(message).joined().matches(of: #/<[^>]*>/#).map { String($0.0) }
            #expect(
                marked.allSatisfy { $0.hasPrefix("<https://dtvr.") || $0.hasPrefix("<https://wiki.") },
                "\(marked)")
        }
        #expect(Self.body(.slack, .channel("one-hd")).contains("&lt;!channel&gt; &amp;"))
    }

    @Test func teams_isAnAdaptiveCard_whoseTextsHaveNoMarkup() throws {
        for scope in Self.scopes {
            let text = Self.body(.teams, scope, detail: String(repeating: "ß", count: 50_000))
            #expect(text.utf8.count < 28_000)
            let message = try #require(try Self.object(text.utf8) as? Object)
            #expect(message["type"] as? String == "message")
            let attachment = try #require((message["attachments"] as? [Object])?.first)
            #expect(attachment["contentType"] as? String == "application/vnd.microsoft.card.adaptive")
            let card = try #require(attachment["content"] as? Object)
            #expect(card["type"] as? String == "AdaptiveCard" && card["version"] as? String == "1.4")
            for block in try #require(card["body"] as? [Object]) {
                #expect(block["type"] as? String == "RichTextBlock")
                for run in try #require(block["inlines"] as? [Object]) {
                    #expect(run["type"] as? String == "TextRun" && run["text"] is String)
                }
            }
            for action in try #require(card["actions"] as? [Object]) {
                #expect(action["type"] as? String == "Action.OpenUrl")
                #expect((action["url"] as? String)?.hasPrefix("https://") == true)
            }
        }
    }

    @Test(arguments: AlertFormat.allCases) func namesOfOthers_haveNoControlCharacters(format: AlertFormat)
        throws
    {
        if format == .dtvr { return }
        let all = Self.texts(try Self.object(Self.body(format, .channel("one-hd")).utf8)).joined()
        #expect(!all.contains("\u{1B}"))
    }

    /// A queue that was filled with another format is not sent to the new receiver.
    @Test func restoredQueue_dropsMessagesOfAnotherFormat_andSaysSo() throws {
        let folder = try AlertFolder()
        let store = AlertStore(
            path: folder.file, webhook: WebhookQueue(markPath: folder.mark, format: .slack) { _ in })
        store.observe(.raised(AlertFolder.alert("one")), at: 1_000_000)
        _ = store.settle(at: 1_000_000)
        let notes = Mutex<[String]>([])
        let other = WebhookQueue(markPath: folder.mark) { note in notes.withLock { $0.append(note) } }
        _ = AlertStore(path: folder.file, webhook: other)
        #expect(other.waiting.isEmpty)
        #expect(notes.withLock { $0 } == ["alerts that wait in another --alert-format are dropped: 1"])
        let same = WebhookQueue(markPath: folder.mark, format: .slack) { _ in }
        _ = AlertStore(path: folder.file, webhook: same)
        #expect(same.waiting.count == 1)
    }

    /// Open alerts are repeated every minute, before the changes that wait, and never stored.
    @Test func openAlerts_areRepeatedEveryMinute_forAlertmanager() async throws {
        let folder = try AlertFolder()
        let queue = WebhookQueue(markPath: folder.mark, format: .alertmanager) { _ in }
        let store = AlertStore(path: folder.file, webhook: queue)
        let pipeline = AlertPipeline(store)
        store.observe(.raised(AlertFolder.alert("one")), at: 1_000_000)
        var repeatCount = 0
        for second in Int64(0)..<130 {
            _ = pipeline.publish(
                at: .steady(1_000_000 + second * 1_000), open: { [AlertFolder.alert("one")] })
            let first = try #require(await queue.next())
            if first.isRepeat {
                repeatCount += 1
                #expect(first.body.hasPrefix(#"[{"labels":{"alertname":"presence.silent""#))
                queue.remove(first)
            }
        }
        #expect(repeatCount == 3)
        #expect(queue.waiting.map(\.key) == [AlertFolder.key("one")])
    }

    @Test func manyOpenAlerts_areRepeatedInSeveralRequests() async throws {
        let folder = try AlertFolder()
        let queue = WebhookQueue(markPath: folder.mark, format: .alertmanager) { _ in }
        let pipeline = AlertPipeline(AlertStore(path: folder.file, webhook: queue))
        _ = pipeline.publish(at: .steady(0), open: { (1...401).map { AlertFolder.alert("ch\($0)") } })
        var counts: [Int] = []
        for _ in 1...3 {
            let message = try #require(await queue.next())
            counts.append(message.body.matches(of: #/"startsAt"/#).count)
            queue.remove(message)
        }
        #expect(counts == [200, 200, 1])
    }
}
