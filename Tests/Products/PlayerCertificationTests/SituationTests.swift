import Foundation
import TestSupport
import Testing

@testable import PlayerCertification
@testable import Reporting

/// The situations that a log exercises, and the spans of a page.
@Suite(.timeLimit(.minutes(30))) struct SituationTests {
    private typealias Situation = ExerciseSummary.Situation
    private static let content = #"{"type":"content","assetid":"A","length":"3600"}"#

    /// Plays content for 20 s, and then what a change adds.
    private static func script(_ change: (inout PlayerScript) -> Void) -> PlayerScript {
        var script = PlayerScript()
        script.call(
            "init", #"{"appid":"T0000D7A1-0000-4000-8000-00000000D7A1","appname":"p","appversion":"1"}"#)
        script.call("play", #"{"channelName":"One"}"#)
        script.load(content)
        script.playheads(0..<20)
        change(&script)
        return script
    }

    /// Pauses for a time, and continues.
    private static func pause(_ seconds: Double, with name: String = "stop") -> PlayerScript {
        script {
            $0.call(name)
            $0.at += seconds
            $0.playheads(20..<25)
        }
    }

    /// Seeks by a distance from the position that follows the last one.
    private static func seek(by seconds: Int) -> PlayerScript {
        script { $0.playheads(20 + seconds..<25 + seconds) }
    }

    private static func loading(_ metadata: String) -> PlayerScript { script { $0.load(metadata) } }

    /// A log that has the situation, and one that almost has it.
    private static func logs(_ situation: Situation) -> (has: PlayerScript, almost: PlayerScript) {
        switch situation {
        case .tags:
            (
                script { $0.call("sendID3", "\"\(PlayerScript.tag(1))\"") },
                script { $0.call("updateOTT", #"{"ottStatus":"0"}"#) }
            )
        case .playheads: (script { _ in }, script { _ in }.without { $0.name == "playheadPosition" })
        case .ads:
            (
                loading(#"{"type":"midroll","assetid":"ad"}"#),
                loading(#"{"type":"content","assetid":"midroll","length":"60"}"#)
            )
        case .pause: (pause(1, with: "pause"), pause(1, with: "stop"))
        case .longPause: (pause(30), pause(29.9))
        case .seek: (seek(by: 31), seek(by: 30))
        case .background:
            (script { $0.call("appInBackground", "\"T\"") }, script { $0.call("appInForeground", "\"T\"") })
        case .channelChange:
            (
                script { $0.call("play", #"{"channelName":"Two"}"#) },
                script { $0.call("play", #"{"channelName":"One"}"#) }
            )
        case .optOut:
            (
                script { $0.call("userOptOut", "\"nielsenappsdk://1\"") },
                script { $0.call("userOptOutURLString") }
            )
        case .live:
            (
                loading(#"{"type":"content","assetid":"L","length":"86400"}"#),
                loading(#"{"type":"content","assetid":"L","length":"86399"}"#)
            )
        case .end: (script { $0.call("end", "20") }, script { $0.call("stop", "20") })
        }
    }

    /// The lists of the JSON document, and the count of viewing sessions.
    private static func document(_ script: PlayerScript) throws -> [String: Any] {
        let text = try #require(RuleTests.report(on: script.bytes).document(as: .json))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test(arguments: ExerciseSummary.Situation.allCases)
    func situation_isExercised_onlyByALogThatHasIt(situation: ExerciseSummary.Situation) throws {
        let (has, almost) = Self.logs(situation)
        for (script, isExpected) in [(has, true), (almost, false)] {
            let document = try Self.document(script)
            let exercised = try #require(document["exercised"] as? [String])
            let missing = try #require(document["not_exercised"] as? [String])
            #expect(exercised.contains(situation.rawValue) == isExpected, "\(exercised)")
            #expect(Set(exercised).isDisjoint(with: missing))
            #expect(exercised.count + missing.count == ExerciseSummary.Situation.allCases.count)
        }
    }

    @Test(arguments: 0..<3)
    func viewingSessions_areCounted(endCount: Int) throws {
        var script = Self.script { _ in }
        for _ in 0..<endCount {
            script.call("end", "20")
            script.at += 10
            script.call("play", #"{"channelName":"One"}"#)
            script.load(Self.content)
            script.playheads(0..<20)
        }
        #expect(try Self.document(script)["viewing_sessions"] as? Int == 1 + endCount)
    }

    /// Each advertisement and each interruption is one span, however many calls follow it.
    @Test func spans_ofAPage_endOnce() throws {
        let script = Self.script {
            $0.load(#"{"type":"midroll","assetid":"first"}"#)
            $0.playheads(0..<15)
            $0.load(#"{"type":"midroll","assetid":"second"}"#)
            $0.playheads(0..<10)
            $0.call("stop")
            $0.at += 5
            $0.load(Self.content)
            $0.playheads(20..<30)
            $0.call("appInBackground")
            $0.at += 7
            $0.call("appInForeground")
            $0.playheads(30..<35)
            $0.call("stop")
            $0.call("end", "35")
        }
        let track = try #require(RuleTests.report(on: script.bytes, recordsCalls: true).tracks.first)
        #expect(
            track.advertisements == [
                .init(start: 20, end: 35, title: "first"), .init(start: 35, end: 45, title: "second"),
            ])
        #expect(
            track.interruptions == [
                .init(start: 45, end: 50, title: "stop"), .init(start: 60, end: 67, title: "background"),
            ])
    }
}
