import Foundation
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// A folder from an earlier build opens, accepts new tags, and delivers its old ones.
@Suite(.timeLimit(.minutes(30))) struct PlayerFolderTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/PlayerFolder")
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]
    private static let optedOutStore = "efe4b220e2615e371beb7b2fa0c36034"

    private static func copy(to folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/store"
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        return path
    }

    private static func records(in path: String) async throws -> [StoredRecord] {
        let buffer = try await TagBuffer.open(directory: path)
        #expect(buffer.findings == OpeningFindings())
        let tags = try await buffer.nextBatch(maximumCount: 100, maximumByteCount: .max)
        await buffer.close()
        return try tags.map { try StoredRecord.decode($0.body.span) }
    }

    private static func owner(_ record: StoredRecord) -> [UInt8]? {
        if case .tag(let occurrence) = record { occurrence.tag.ownerIdentifier } else { nil }
    }

    @Test func identity_ofAnEarlierBuild_keepsItsIDsAndOptOut() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.copy(to: folder)
        let file = path + "/player.json"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let identity = try #require(SessionIdentity(json: [UInt8](bytes)))
        #expect(identity.json == [UInt8](bytes) && identity.optedOutStore == Self.optedOutStore)

        let session = MeasurementSession(options: SessionOptions(directory: path), clock: ManualClock())
        session.sendID3("www.nielsen.com/new")
        #expect(await session.flush())
        #expect(session.optOutStatus && session.counts.discarded == 1)
        session.userOptOut("nielsenappsdk://0")
        #expect(session.deviceID == "2d6c4ade7dcb88be2cb749ba67ad6b15")
        #expect(session.firstPartyID == "ebb37a3306727a27674eb5447bc45777")
        #expect(await session.finish())
    }

    @Test func buffer_ofAnEarlierBuild_preservesTheBytesOfItsTags() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.copy(to: folder)
        let records = try await Self.records(in: path)
        let names = ["first", "later", "out", "held"].map { Array("www.nielsen.com/\($0)".utf8) }
        let owners = records.compactMap(Self.owner)
        #expect(Set(owners) == Set(names + [Array("www.nielsen.com/".utf8) + [0xE9, 0xFF, 0x80, 0x41]]))
        #expect(records.count == 6 && owners.count == 5)
        for case .tag(let occurrence) in records {
            guard case .session(let place, _) = occurrence.origin else { continue }
            let isHeld = place.mediaTime != nil
            #expect(place.isPresented != isHeld)
            #expect((place.channel == "Three") == (place.optedOutStore == Self.optedOutStore))
        }
        for case .player(let record) in records {
            #expect(record.kind == .session && record.place.channel == "Two")
            #expect(String(decoding: record.content, as: UTF8.self).contains(#""watched":4.0"#))
        }
    }

    @Test func configuration_ofAnEarlierBuild_isUsedIfNoneIsReceived() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.copy(to: folder)
        var options = SessionOptions(directory: path)
        options.configuration = .file(path: path + "/missing.json")
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        session.sendID3("www.nielsen.com/new")
        #expect(await session.flush())
        // The stored configuration sends the tags of users who have opted out.
        #expect(session.counts.stored == 1 && session.lastEvent?.code == 2_001)
        #expect(await session.finish())
        var errors: [Int] = []
        for await notice in session.notifications where notice.kind == .error { errors.append(notice.code) }
        // The stored configuration names no collector.
        #expect(errors == [4, 5])
        // The count includes the records of the app, and of how long it ran.
        #expect(try await Self.records(in: path).count == 9)
    }
}
