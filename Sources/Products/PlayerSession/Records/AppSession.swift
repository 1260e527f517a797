import ID3v2
import NielsenID3
import TagDelivery
import TagRecord
import TextForms

/// An app session, from the initialization of the app to its end or a change of the user's choice, and its record.
struct AppSession: Sendable {
    /// A random id, derived from nothing else; nil before the initialization.
    private(set) var id: String?
    /// Whether no record of this app session has been written yet.
    private(set) var isPending = false
    private var information = Metadata()
    /// The `sfcode` in lower case; nil if the app named none.
    private var market: String?
    /// The time since when the app runs in the foreground; nil in the background.
    private var run: (since: Duration, wall: WallTime)?
    /// The number of times in the foreground that have been recorded.
    private var runCount: UInt64 = 0
    private let makeID: @Sendable () -> String

    init(makeID: @escaping @Sendable () -> String) { self.makeID = makeID }

    /// Returns whether the app is another one, or begins again; otherwise it is initialized a second time.
    func isOther(_ information: Metadata, market: String?) -> Bool {
        id == nil || market != self.market || !information.says(the: self.information)
    }

    mutating func begin(_ information: Metadata, market: String?) {
        self.information = information
        self.market = market
        id = makeID()
        isPending = true
        runCount = 0
    }

    /// Replaces the app session by one under another id.
    mutating func renew() {
        run = nil
        guard id != nil else { return }
        id = makeID()
        isPending = true
        runCount = 0
    }

    mutating func end() {
        id = nil
        isPending = false
    }

    /// Whether the app runs in the foreground.
    var isRunning: Bool { run != nil }

    /// Begins a time in the foreground (guide 000, "Overview": how long the app was running).
    mutating func beginRun(at step: borrowing SessionStep) {
        if id != nil, run == nil { run = (step.time, step.wall) }
    }

    /// Ends a time in the foreground, and returns its record; nil in the background.
    mutating func endRun(_ choice: OptOutChoice, at step: borrowing SessionStep) -> PlayerRecord? {
        guard let run else { return nil }
        self.run = nil
        defer { runCount += 1 }
        var content = RecordContent()
        content.add { writer in
            writer.key("started")
            writer.value(time: run.wall.unixMilliseconds)
            writer.key("ended")
            writer.value(time: step.wall.unixMilliseconds)
            writer.write("seconds", number: AssetProgress.seconds(from: run.since, to: step.time))
            writer.write("order", runCount)
        }
        let place = SessionPlace(id: "", order: runCount, appSession: id, optedOutStore: choice.store)
        return PlayerRecord(.run, at: place, content: content.finish())
    }

    /// Returns the record of the app session, which is then no longer pending.
    mutating func record(_ choice: OptOutChoice, _ policy: SessionPolicy) -> PlayerRecord {
        isPending = false
        var content = RecordContent()
        content.add { writer in
            writer.write("library", Uploader.version)
            if let market { writer.write("market", market) }
            if choice.isOptedOut { return }
            writer.key("opted_out")
            writer.value(false)
        }
        content.add("app", information, withholding: choice.withholding(policy))
        let place = SessionPlace(id: "", order: 0, appSession: id, optedOutStore: choice.store)
        return PlayerRecord(.app, at: place, content: content.finish())
    }
}
