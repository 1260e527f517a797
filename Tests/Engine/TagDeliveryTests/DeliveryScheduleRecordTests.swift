import ByteReading
import HostSystem
import TagStore
import Testing

@testable import TagDelivery

/// The stored form of a delivery schedule.
@Suite struct DeliveryScheduleRecordTests {
    // MARK: The record

    @Test func lastSuccess_survivesFailuresAndRestarts() throws {
        var schedule = DeliverySchedule()
        #expect(DeliverySchedule(forAnySink: schedule.encoded(for: "s"))?.lastSuccess == nil)
        learn(.received(rejected: []), 9, &schedule)
        learn(.hold(reason: "status 401", notBefore: nil), 9, &schedule, now: start + 60_000)
        let read = try #require(DeliverySchedule(forAnySink: schedule.encoded(for: "whichever")))
        #expect(read.lastSuccess == start)
        #expect(read.state == .holding(until: start + 960_000, reason: "status 401"))
        #expect(DeliverySchedule(forAnySink: []) == nil)
    }

    @Test func record_truncatedOrCorruptedAnywhere_decodesToNewOrValidSchedule() {
        var schedule = DeliverySchedule()
        for answer in [
            SinkAnswer.tooLarge, .unsupportedEncoding, .retry(reason: "späť", notBefore: .seconds(9)),
        ] {
            learn(answer, 400, &schedule)
        }
        let record = schedule.encoded(for: "https://c/")
        #expect(DeliverySchedule(record, for: "https://c/") == schedule)
        #expect(DeliverySchedule(record, for: "https://d/") == DeliverySchedule())
        for count in 0..<record.count {
            #expect(DeliverySchedule(Array(record[..<count]), for: "https://c/") == DeliverySchedule())
        }
        for index in record.indices {
            for value in [0, 1, 2, 0x2D, 0x30, 0x39, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = record
                changed[index] = value
                let read = DeliverySchedule(changed, for: "https://c/")
                #expect((1...500).contains(read.nextCount))
                #expect((.zero ... .seconds(3_600)).contains(read.remainingWait(now: .steady(start))))
            }
        }
    }

    /// A monitor that starts while the collector is away knows what it asked for.
    @Test func kindsThatTheSinkAsksFor_surviveARestart() {
        var schedule = DeliverySchedule()
        #expect(!DeliverySchedule(schedule.encoded(for: "s"), for: "s").wantsPeriods)
        schedule.wantsPeriods = true
        #expect(DeliverySchedule(schedule.encoded(for: "s"), for: "s").wantsPeriods)
        #expect(!DeliverySchedule(schedule.encoded(for: "s"), for: "t").wantsPeriods)
    }

    /// A status has room for the record, regardless of the reason.
    @Test(arguments: ["é", "\u{1}", "\\", "\u{1F600}"]) func record_withLongReason_staysWithinSizeLimit(
        _ text: String
    ) {
        var schedule = DeliverySchedule()
        learn(.hold(reason: String(repeating: text, count: 5_000), notBefore: nil), 9, &schedule)
        let record = schedule.encoded(for: "s")
        #expect(record.count <= 1_536)
        let read = DeliverySchedule(record, for: "s")
        #expect(read.remainingWait(now: .steady(start)) == .seconds(900))
    }
}
