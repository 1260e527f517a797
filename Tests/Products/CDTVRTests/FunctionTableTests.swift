import CDTVRHeader
import Foundation
import TestSupport
import Testing

@testable import CDTVR
@testable import PlayerSession

/// Every function of dtvr.h, called from outside: the log has its name and its arguments.
@Suite(.timeLimit(.minutes(30))) struct FunctionTableTests {
    /// A function that makes a call, the values that the test passes, and the line of the log.
    private struct Row: Sendable {
        let function: String
        let line: String
        let call: @Sendable (CSession) -> dtvr_status

        init(
            _ function: String, _ line: String, _ call: @escaping @Sendable (CSession) -> dtvr_status
        ) {
            self.function = function
            self.line = line
            self.call = call
        }
    }

    private static let json = #"{"type":"content","assetid":"A"}"#

    /// No argument equals another one of its row.
    private static let rows = [
        Row("dtvr_init", #"init [{"appid":"T2"}]"#) { unsafe dtvr_init($0.pointer, #"{"appid":"T2"}"#, 14) },
        Row("dtvr_play", #"play [{"channelName":"C"},7.5]"#) {
            unsafe dtvr_play($0.pointer, #"{"channelName":"C"}"#, 19, 7.5)
        },
        Row("dtvr_load_metadata", #"loadMetadata [{"assetid":"A","type":"content"}]"#) {
            unsafe dtvr_load_metadata($0.pointer, json, json.utf8.count)
        },
        Row("dtvr_update_metadata", #"updateMetadata [{"assetid":"A","type":"content"}]"#) {
            unsafe dtvr_update_metadata($0.pointer, json, json.utf8.count)
        },
        Row("dtvr_send_id3", #"sendID3 ["www.nielsen.com\/a",8.5]"#) {
            unsafe dtvr_send_id3($0.pointer, "www.nielsen.com/a", 17, 8.5)
        },
        Row("dtvr_playhead_position", "playheadPosition [9.5]") {
            unsafe dtvr_playhead_position($0.pointer, 9.5)
        },
        Row("dtvr_pause", "pause [10.5]") { unsafe dtvr_pause($0.pointer, 10.5) },
        Row("dtvr_stop", "stop [11.5]") { unsafe dtvr_stop($0.pointer, 11.5) },
        Row("dtvr_end", "end [12.5]") { unsafe dtvr_end($0.pointer, 12.5) },
        Row("dtvr_static_start", #"staticStart [{"assetid":"A","type":"content"}]"#) {
            unsafe dtvr_static_start($0.pointer, json, json.utf8.count)
        },
        Row("dtvr_static_end", "staticEnd []") { unsafe dtvr_static_end($0.pointer) },
        Row("dtvr_set_volume", "setVolume [55]") { unsafe dtvr_set_volume($0.pointer, 55) },
        Row("dtvr_set_mute", "setMute [true]") { unsafe dtvr_set_mute($0.pointer, true) },
        Row("dtvr_update_ott", #"updateOTT [{"ottType":"airplay"}]"#) {
            unsafe dtvr_update_ott($0.pointer, #"{"ottType":"airplay"}"#, 21)
        },
        Row("dtvr_track_viewability", #"trackViewability [{"viewport":"1"}]"#) {
            unsafe dtvr_track_viewability($0.pointer, #"{"viewport":"1"}"#, 16)
        },
        Row("dtvr_app_in_background", "appInBackground []") { unsafe dtvr_app_in_background($0.pointer) },
        Row("dtvr_app_in_foreground", "appInForeground []") { unsafe dtvr_app_in_foreground($0.pointer) },
        Row("dtvr_process_event", #"processEvent ["blur"]"#) {
            unsafe dtvr_process_event($0.pointer, "blur", 4)
        },
        Row("dtvr_track_event", #"trackEvent [{"event":"pause"}]"#) {
            unsafe dtvr_track_event($0.pointer, #"{"event":"pause"}"#, 17)
        },
        Row("dtvr_ggpm", #"ggPM ["15",{"assetid":"A","type":"content"},13.5]"#) {
            unsafe dtvr_ggpm($0.pointer, "15", 2, json, json.utf8.count, 13.5)
        },
        Row("dtvr_call", #"getMeterVersion ["x",14.5]"#) {
            let status = unsafe dtvr_call($0.pointer, "getMeterVersion", 15, #"["x",14.5]"#, 10, nil, 0, nil)
            return status == DTVR_TOO_SMALL ? DTVR_DONE : status
        },
        Row("dtvr_disable", "appDisableApi [false]") { unsafe dtvr_disable($0.pointer, false) },
        Row("dtvr_user_opt_out", #"userOptOut ["nielsenappsdk:\/\/0"]"#) {
            unsafe dtvr_user_opt_out($0.pointer, "nielsenappsdk://0", 17)
        },
        Row("dtvr_shut_down", "free []") { unsafe dtvr_shut_down($0.pointer) },
    ]

    /// The functions that make no call: other tests cover their answers.
    private static let others: Set = [
        "dtvr_version", "dtvr_status_text", "dtvr_error_text", "dtvr_create", "dtvr_destroy", "dtvr_finish",
        "dtvr_settle", "dtvr_deliver_within", "dtvr_feed_segment", "dtvr_opt_out_status", "dtvr_opt_out_url",
        "dtvr_get_state",
        "dtvr_get_counts",
        "dtvr_get_buffer_counts", "dtvr_get_delivery", "dtvr_delivery_reason", "dtvr_findings",
        "dtvr_last_event", "dtvr_last_error", "dtvr_last_occurred", "dtvr_device_id", "dtvr_first_party_id",
    ]

    @Test func everyFunctionOfTheHeader_hasARow() throws {
        let header = try String(
            contentsOfFile: Project.root + "/Sources/Products/CDTVRHeader/dtvr.h", encoding: .utf8)
        let declared = header.matches(of: /(?m)^(?:dtvr_status |const char \*)(dtvr_\w+)\(/).map {
            String($0.1)
        }
        #expect(Set(declared) == Self.others.union(Self.rows.map(\.function)))
        #expect(declared.count == Self.others.count + Self.rows.count)
    }

    /// Returns the calls of a log with their arguments, whose keys are sorted.
    private static func calls(of path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            let arguments = (object["arguments"] as? [Any] ?? []).map { argument in
                // A player's text of an object is that object.
                guard let text = argument as? String, text.hasPrefix("{") else { return argument }
                return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) ?? argument
            }
            let bytes = try JSONSerialization.data(withJSONObject: arguments, options: .sortedKeys)
            return "\(object["call"] ?? "") " + String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func eachFunction_makesItsCall_withItsArguments() async throws {
        let folder = try TemporaryFolder()
        var options = CSession.Options()
        options.log = folder.path + "/calls.jsonl"
        let session = try #require(CSession(folder.path + "/store", options))
        #expect(try await session.settle() == DTVR_DONE)
        for row in Self.rows {
            let status = row.call(session)
            #expect(status.rawValue >= 0, "\(row.function)")
        }
        #expect(try await session.destroy() == DTVR_DONE)
        let calls = try Self.calls(of: folder.path + "/calls.jsonl")
        // `init` of the test's session comes before, and `free` of its end after.
        #expect(Array(calls.dropFirst().dropLast()) == Self.rows.map(\.line))
    }

    @Test(arguments: SessionDelivery.State.allCases)
    func delivery_inEachState_hasItsNumber_andMilliseconds(state: SessionDelivery.State) throws {
        let numbers: [SessionDelivery.State: dtvr_delivery_state] = [
            .off: DTVR_DELIVERY_OFF, .idle: DTVR_DELIVERY_IDLE, .sending: DTVR_DELIVERY_SENDING,
            .retrying: DTVR_DELIVERY_RETRYING, .held: DTVR_DELIVERY_HELD,
            .elsewhere: DTVR_DELIVERY_ELSEWHERE,
        ]
        var delivery = SessionDelivery(state)
        delivery.since = 1_800_000_000_123
        delivery.code = .httpStatus
        delivery.deadLetters = 7
        let answer = dtvr_delivery(delivery)
        #expect(answer.state == numbers[state])
        #expect(answer.since_unix_ms == 1_800_000_000_123 && answer.code == 9 && answer.dead_letters == 7)
        #expect(Set(numbers.values.map(\.rawValue)).count == SessionDelivery.State.allCases.count)
    }
}
