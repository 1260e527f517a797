import Foundation
import StreamHealth
import Synchronization
import Testing

@testable import StreamMonitor

/// The alerts that are queued for a webhook, and their recovery after a kill at any moment.
@Suite(.timeLimit(.minutes(30))) struct WebhookQueueTests {
    /// Returns the keys of the alerts that are queued after a start with the current files.
    private static func waitingAfterAStart(_ folder: AlertFolder) -> [String] {
        let queue = folder.queue()
        let alerts = AlertStore(path: folder.file, webhook: queue)
        #expect(alerts.problem == nil)
        return queue.waiting.map(\.key)
    }

    @Test func alert_isSavedWhenPublished_andQueuedUntilAccepted() async throws {
        let folder = try AlertFolder()
        let queue = folder.queue()
        let alerts = AlertStore(path: folder.file, webhook: queue)
        alerts.assign(channel: "a", to: "host", at: 1_000_000)
        alerts.assign(channel: "b", to: "host", at: 1_000_000)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        // The alert is neither active nor queued: a monitor that starts now raises it again, with another id.
        #expect(Self.waitingAfterAStart(folder).isEmpty)
        #expect(AlertStore(path: folder.file).activeCount == 0)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(Self.waitingAfterAStart(folder) == [AlertFolder.key("a")])

        alerts.observe(.raised(AlertFolder.alert("b")), at: 1_001_000)
        alerts.observe(.cleared(AlertFolder.alert("a")), at: 1_001_000)
        #expect(alerts.settle(at: 1_001_000).count == 2)
        let all = [AlertFolder.key("a"), AlertFolder.key("b"), AlertFolder.key("a", "clear")]
        #expect(Self.waitingAfterAStart(folder) == all)
        for accepted in 1...3 {
            let alert = try #require(await queue.next())
            #expect(alert.key == all[accepted - 1])
            queue.remove(alert)
            // The alert file is unchanged; the small file records the accepted alerts.
            #expect(Self.waitingAfterAStart(folder) == Array(all[accepted...]))
        }
        #expect(queue.waiting.isEmpty)
    }

    @Test func alert_observedWhileOthersArePublished_isNotLost() throws {
        let folder = try AlertFolder()
        let queue = folder.queue()
        let alerts = AlertStore(path: folder.file, webhook: queue)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        alerts.observe(.raised(AlertFolder.alert("b")), at: 1_000_000)
        // The files do not contain `b` yet, so it is raised again after a start.
        #expect(AlertStore(path: folder.file).alerts(of: "b").isEmpty)
        _ = alerts.settle(at: 1_001_000)
        #expect(Self.waitingAfterAStart(folder) == [AlertFolder.key("a"), AlertFolder.key("b")])
    }

    @Test func body_isTheOutputLine_withoutLineEnd() throws {
        let folder = try AlertFolder()
        let queue = folder.queue()
        let alerts = AlertStore(path: folder.file, webhook: queue)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_500)
        #expect(
            queue.waiting.map(\.body) == [
                #"{"type":"alert","action":"raise","id":"a/presence.silent/1000000","channel":"a","#
                    + #""check":"presence.silent","severity":"fail","at":"1970-01-01T00:16:40.000Z","#
                    + #""since":"1970-01-01T00:16:40.000Z","detail":"no tags","evidence":null,"docs":null}"#
            ])
    }

    /// A message that is too old is dropped instead of sent.
    @Test func alertOfRemovedChannel_isClearedAtTheRemovalTime() throws {
        let folder = try AlertFolder()
        let queue = folder.queue()
        let alerts = AlertStore(path: folder.file, webhook: queue)
        alerts.assign(channel: "a", to: "host", at: 1_000_000)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        let twoDaysLater: Int64 = 1_000_000 + 2 * 86_400_000
        alerts.assign(channel: "a", to: nil, at: twoDaysLater)
        _ = alerts.settle(at: twoDaysLater + 1_000)
        let clear = try #require(queue.waiting.last)
        #expect(clear.key == AlertFolder.key("a", "clear") && clear.time == twoDaysLater)
        #expect(clear.body.contains(#""at":"1970-01-03T00:16:40.000Z","since":"1970-01-01T00:16:40.000Z""#))
    }

    @Test func queue_withoutWebhook_isEmpty_andEarlierAlertsAreDropped() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file, webhook: folder.queue())
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        let without = AlertStore(path: folder.file)
        #expect(without.activeCount == 1)
        without.observe(.raised(AlertFolder.alert("b")), at: 1_001_000)
        _ = without.settle(at: 1_001_000)
        #expect(Self.waitingAfterAStart(folder).isEmpty)
    }

    @Test(arguments: ["", "{", "[]", "null", #"{"accepted":1}"#, "\u{0}", #"{"accepted":"other"}"#])
    func damagedOrForeignMark_resendsAllAlerts(text: String) throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file, webhook: folder.queue())
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        try text.write(toFile: folder.mark, atomically: true, encoding: .utf8)
        #expect(Self.waitingAfterAStart(folder) == [AlertFolder.key("a")])
    }

    @Test func alerts_withUnwritableFolder_areSentFromMemory() async throws {
        let folder = try AlertFolder()
        let queue = WebhookQueue(markPath: folder.path + "/none/mark") { _ in }
        let alerts = AlertStore(path: folder.path + "/none/alerts.json", webhook: queue)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        let alert = try #require(await queue.next())
        #expect(alert.key == AlertFolder.key("a"))
        queue.remove(alert)
        #expect(queue.waiting.isEmpty)
    }

    @Test(arguments: [(1_500, 10, 1_000), (100, 100_000, 83)])
    func fullQueue_dropsTheOldestAlerts_andReportsItOnce(
        count: Int, byteCount: Int, kept: Int
    ) throws {
        let folder = try AlertFolder()
        let notes = Mutex<[String]>([])
        let queue = folder.queue { note in notes.withLock { $0.append(note) } }
        for number in 1...count {
            let body = String(repeating: "x", count: byteCount)
            queue.append([AlertMessage(key: "\(number)", time: 0, published: .steady(0), body: body)])
            queue.release()
        }
        #expect(queue.waiting.map(\.key) == (count - kept + 1...count).map { "\($0)" })
        #expect(
            notes.withLock { $0 } == ["the queue of the alert webhook is full: the oldest alerts are dropped"]
        )
    }

    /// The alert is saved first, so it is known after a kill that it was published.
    @Test func alert_isSentOnlyAfterRelease() async throws {
        let folder = try AlertFolder()
        let queue = folder.queue()
        let isReleased = Mutex(false)
        queue.append([AlertMessage(key: "a", time: 0, published: .steady(0), body: "")])
        let release = Task {
            // Gives `next` every chance to return first.
            for _ in 0..<1_000 { await Task.yield() }
            isReleased.withLock { $0 = true }
            queue.release()
        }
        #expect(try #require(await queue.next()).key == "a")
        #expect(isReleased.withLock { $0 })
        await release.value
    }

    @Test func alert_evictedWhileBeingSent_removesNoOther() async throws {
        let folder = try AlertFolder()
        let queue = folder.queue()
        queue.append([AlertMessage(key: "first", time: 0, published: .steady(0), body: "")])
        queue.release()
        let first = try #require(await queue.next())
        queue.append((1...1_000).map { AlertMessage(key: "\($0)", time: 0, published: .steady(0), body: "") })
        queue.release()
        queue.remove(first)
        #expect(queue.waiting.count == 1_000)
        #expect(try #require(await queue.next()).key == "1")
    }
}
