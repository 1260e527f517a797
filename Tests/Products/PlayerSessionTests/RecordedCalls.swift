import Foundation
import ID3v2
import TagDelivery
import TagRecord
import TagStore
import TextForms

@testable import PlayerSession

/// A machine, the calls made on it one second apart, and the resulting records as a collector receives them.
struct RecordedCalls {
    private(set) var machine: SessionMachine
    private(set) var results: [CallResult] = []
    private(set) var records: [[String: Any]] = []
    private(set) var lines: [String] = []
    private var now = Duration.zero

    init(_ policy: SessionPolicy = SessionPolicy()) {
        machine = SessionMachine(policy: policy) { TagID.random().text }
    }

    /// The information of the app in the tests.
    static let appInformation: MetadataValue = [
        "appid": "T1", "appname": "App", "appversion": "1.0", "sfcode": "us", "latitude": 59.9,
        "deviceId": "device-1", "Own-Key": [1, ["uoo": "x", "kept": true]],
    ]

    static func load(_ asset: String, _ type: String = "content") -> SessionCall {
        SessionCall(.loadMetadata, [["type": .text(type), "assetid": .text(asset)]])
    }

    static func playhead(_ seconds: Double) -> SessionCall {
        SessionCall(.playheadPosition, [.number(seconds)])
    }

    static func tag(_ name: String) -> SessionCall {
        SessionCall(.sendID3, [.text("www.nielsen.com/\(name)")])
    }

    /// Makes calls, each one second after the previous one.
    mutating func make(_ calls: [SessionCall], after pause: Duration = .seconds(1)) throws {
        for call in calls {
            now += pause
            let step = machine.handle(
                call, at: now, wall: WallTime(unixSeconds: 1_790_000_000 + now / .seconds(1)))
            results.append(step.result)
            for write in step.writes {
                switch write {
                case .store(let record): try add(record.stored)
                case .hold(let tag, _): try add(SessionRecord.tag(tag).stored)
                case .release, .quarantine, .admit: break
                }
            }
        }
    }

    /// Makes calls at a given time.
    mutating func make(_ calls: [SessionCall], at time: Duration) throws {
        now = time
        try make(calls, after: .zero)
    }

    private mutating func add(_ record: StoredRecord) throws {
        // Decodes the stored body, as a delivery from a buffer does.
        let stored = try StoredRecord.decode(record.storedBody.span)
        var writer = JSONWriter()
        writer.beginObject()
        stored.writeWireMembers(
            id: TagID(of: stored).text, received: 1_790_000_000_000, to: &writer)
        writer.endObject()
        lines.append(String(decoding: writer.bytes, as: UTF8.self))
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes))
        records.append(object as? [String: Any] ?? [:])
    }

    /// The kinds of the records, in order; `tag` for a tag.
    var kinds: [String] { records.map { $0["owner"] == nil ? $0["kind"] as? String ?? "-" : "tag" } }

    /// Returns the records of one kind.
    func records(_ kind: String) -> [[String: Any]] { zip(kinds, records).filter { $0.0 == kind }.map(\.1) }

    /// Makes calls on a new machine.
    static func records(
        of calls: [SessionCall], _ policy: SessionPolicy = SessionPolicy()
    ) throws -> RecordedCalls {
        var made = RecordedCalls(policy)
        try made.make(calls)
        return made
    }
}

extension [String: Any] {
    /// Returns the object with a key; empty if there is none.
    func object(_ key: String) -> [String: Any] { self[key] as? [String: Any] ?? [:] }

    func text(_ key: String) -> String? { self[key] as? String }

    func number(_ key: String) -> Double? { (self[key] as? NSNumber)?.doubleValue }

    /// Returns the objects in the list with a key; empty if there is none.
    func list(_ key: String) -> [[String: Any]] { self[key] as? [[String: Any]] ?? [] }
}
