import NielsenID3
import Testing

/// A violation of a sequence of the guides, and the rule that finds it.
struct GuideViolation: Sendable, CustomTestStringConvertible {
    let rule: String
    let status: CheckStatus
    let sequence: String
    let change: @Sendable (PlayerScript) -> PlayerScript

    private init(
        _ rule: String, in sequence: String, _ status: CheckStatus = .fail,
        _ change: @escaping @Sendable (PlayerScript) -> PlayerScript
    ) {
        (self.rule, self.status, self.sequence, self.change) = (rule, status, sequence, change)
    }

    var testDescription: String { "\(rule) in \(sequence)" }

    /// The violations of each rule for the calls of a player.
    static let all: [GuideViolation] = [
        GuideViolation("start.init", in: "norway") { $0.without("init", at: 0) },
        GuideViolation("start.app-keys", in: "ireland") { $0.replacing("\"appname\":\"Player\",", with: "") },
        GuideViolation("start.app-id", in: "ireland", .warn) { $0.replacing("T0000D7A1", with: "X0000D7A1") },
        GuideViolation("start.app-id", in: "italy-browser", .warn) {
            $0.replacing("T0000D7A1", with: "T0000D7AG")
        },
        GuideViolation("start.debug", in: "ireland", .warn) {
            $0.replacing("\"T0000D7A1", with: "\"P0000D7A1")
                .replacing("{\"appid\"", with: "{\"nol_devDebug\":\"DEBUG\",\"appid\"")
        },
        GuideViolation("start.debug", in: "italy-browser", .warn) {
            $0.replacing("\"T0000D7A1", with: "\"P0000D7A1").replacing(
                "{}", with: "{\"nol_sdkDebug\":\"debug\"}")
        },
        GuideViolation("start.opt-out", in: "ireland") { $0.without("userOptOut", at: 0) },
        GuideViolation("start.opt-out", in: "ireland-ads") {
            $0.without("userOptOut", at: 0)
                .inserting("userOptOut", "\"nielsenappsdk://1\"", after: { $0.isPlayhead })
        },

        GuideViolation("order.content-first", in: "norway-ads") { $0.without("loadMetadata", at: 0) },
        GuideViolation("order.content-first", in: "ireland") { $0.without { $0.isNamed("loadMetadata") } },
        GuideViolation("order.content-first", in: "italy") { $0.without { $0.isNamed("loadMetadata") } },
        GuideViolation("order.content-first", in: "us", .warn) { $0.without { $0.isNamed("loadMetadata") } },
        GuideViolation("order.play", in: "us", .warn) {
            $0.inserting("appDisableApi", "false", after: { $0.at == 22 })
                .inserting("appDisableApi", "true", after: { $0.at == 22 })
        },
        GuideViolation("order.play", in: "norway") { $0.without("play", at: 0) },
        GuideViolation("order.play", in: "italy-ads") { $0.without("play", at: 0) },
        GuideViolation("order.play", in: "ireland") { $0.without("play", at: 0) },
        GuideViolation("order.play", in: "us-tags") { $0.replacing("\"channelName\":\"ESPN2\",", with: "") },
        GuideViolation("order.play", in: "us-tags") { $0.without("play", at: 0) },
        GuideViolation("order.play", in: "norway") {
            // Other content after `end` is another stream.
            $0.changed { script in
                script.load(
                    #"{"type":"content","isAudio":"true","assetid":"D1","title":"S2,E4","isfullepisode":"y","#
                        + #""program":"Program Name","length":"3600","airdate":"20200321 11:05:00","adloadtype":"2"}"#
                )
                script.playheads(0..<20)
                script.call("end")
            }
        },
        GuideViolation("order.constant-metadata", in: "norway-ads") {
            $0.replacing("S2,E3", with: "Other", in: { $0.at > 0 })
        },
        GuideViolation("order.constant-metadata", in: "ireland-ads", .warn) {
            $0.replacing(
                "\"assetid\":\"88675545\"", with: "\"assetid\":\"88675545\",\"channelName\":\"Other\"",
                in: { $0.at > 60 })
        },
        GuideViolation("order.resume", in: "norway-ads") { $0.shifting(105..<135, by: 15) },
        GuideViolation("order.stop", in: "norway-ads") { $0.without("stop", at: 0) },
        GuideViolation("order.stop", in: "ireland-ads") { $0.without("stop", at: 2) },
        GuideViolation("order.stop", in: "italy-browser-ads") { $0.without("stop", at: 1) },
        GuideViolation("order.stop", in: "poland-ads") { $0.without("stop", at: 1) },
        GuideViolation("order.stop", in: "poland-ads", .warn) { $0.without("stop", at: 4) },
        GuideViolation("order.final-playhead", in: "ireland", .warn) { $0.delaying(from: 180, by: 10) },
        GuideViolation("order.final-playhead", in: "italy-browser-ads", .warn) {
            $0.replacing("\"stop\",29", with: "\"stop\"").changed { script in
                for index in script.calls.indices where script.calls[index].isNamed("stop") {
                    script.calls[index].arguments = ["\"stop\""]
                }
            }
        },
        GuideViolation("order.calls", in: "ireland", .warn) {
            $0.inserting("resume", after: { $0.isPlayhead })
        },
        GuideViolation("order.calls", in: "ireland", .warn) {
            $0.inserting("appDisableApi", "7", after: { $0.isPlayhead })
        },

        GuideViolation("playhead.value", in: "ireland") {
            $0.changed { $0.calls[9].arguments = ["5.5"] }
        },
        GuideViolation("playhead.interval", in: "ireland") {
            $0.without { $0.isPlayhead && $0.at.truncatingRemainder(dividingBy: 10) != 0 }
        },
        GuideViolation("playhead.interval", in: "norway") {
            $0.without { $0.isPlayhead && $0.at.truncatingRemainder(dividingBy: 2) != 0 }
        },
        GuideViolation("playhead.interval", in: "italy", .warn) {
            $0.without { $0.isPlayhead && $0.at.truncatingRemainder(dividingBy: 2) != 0 }
        },
        GuideViolation("playhead.advance", in: "ireland") {
            $0.changed { script in
                for index in script.calls.indices where script.calls[index].isPlayhead {
                    script.calls[index].arguments = ["0"]
                }
            }
        },
        GuideViolation("playhead.advance", in: "italy") {
            // Milliseconds.
            $0.changed { script in
                for index in script.calls.indices
                where script.calls[index].isPlayhead && script.calls[index].arguments != ["0"] {
                    script.calls[index].arguments[0] += "000"
                }
            }
        },
        GuideViolation("playhead.live", in: "ireland-live") { $0.replacing("1774000", with: "1000") },
        GuideViolation("playhead.ad-start", in: "ireland-ads") { $0.shifting(0..<30, by: 60) },
        GuideViolation("playhead.ad-start", in: "ireland-ads") { $0.shifting(0..<30, by: 4) },
        GuideViolation("playhead.ad-start", in: "ireland-ads") { $0.without { $0.isPlayhead && $0.at < 30 } },
        GuideViolation("playhead.ad-start", in: "ireland-ads") { $0.shifting(138..<145, by: 40) },
        GuideViolation("playhead.seek", in: "ireland", .warn) { $0.shifting(30..<500, by: 300) },

        GuideViolation("tag.form", in: "us") { $0.replacing("/00\"", with: "\"") },
        GuideViolation("tag.once", in: "us") {
            $0.inserting("sendID3", "\"\(PlayerScript.tag(0))\"", after: { $0.isNamed("sendID3") })
        },
        GuideViolation("tag.after-end", in: "ireland") {
            $0.inserting("sendID3", "\"\(PlayerScript.tag(0))\"", after: { $0.isNamed("end") })
        },
        GuideViolation("tag.channel", in: "us") {
            $0.changed { script in
                script.call("play", #"{"channelName":"CNN"}"#)
                script.load(#"{"type":"content","assetid":"OTHER","title":"Other","length":"3600"}"#)
                script.playheads(0..<20, every: 2, tags: 20)
                script.call("stop")
            }
        },
        GuideViolation("tag.offset-seek", in: "us") {
            $0.changed { script in
                script.load(script.calls[1].arguments[0])
                script.playheads(20..<40, every: 2, tags: 12)
                script.call("stop")
            }
        },
        GuideViolation("tag.offset-pause", in: "us") {
            $0.without("stop", at: 0).changed { script in
                script.call("pause", "118")
                script.at += 60
                script.playheads(120..<140, every: 2, tags: -10)
                script.call("stop")
            }
        },

        GuideViolation("interruption.background", in: "ireland") {
            $0.inserting("appInBackground", after: { $0.isPlayhead && $0.at == 20 })
                .inserting("appInForeground", after: { $0.isPlayhead && $0.at == 40 })
        },
        GuideViolation("interruption.resume", in: "ireland-ads") { $0.without("loadMetadata", at: 2) },
        GuideViolation("interruption.resume", in: "italy-browser-ads") { $0.without("loadMetadata", at: 4) },
        GuideViolation("interruption.resume", in: "ireland-ads") { $0.without("loadMetadata", at: 4) },
        GuideViolation("interruption.resume", in: "poland", .warn) { $0.without("loadMetadata", at: 1) },

        GuideViolation("metadata.keys", in: "ireland") {
            $0.replacing("\"title\":\"Program S3, EP1\",", with: "")
        },
        GuideViolation("metadata.keys", in: "norway-page") {
            $0.replacing("\"section\":\"Section Name\",", with: "")
        },
        GuideViolation("metadata.values", in: "ireland") { $0.replacing("\"3600\"", with: "\"an hour\"") },
        GuideViolation("metadata.values", in: "us") {
            $0.replacing("ESPN2", with: String(repeating: "A", count: 33))
        },
        GuideViolation("metadata.spelling", in: "ireland", .warn) {
            $0.replacing("\"assetid\"", with: "\"assetId\"")
        },
        GuideViolation("metadata.adloadtype", in: "italy-ads") {
            $0.replacing("\"adloadtype\":\"2\"", with: "\"adloadtype\":\"1\"")
        },
        GuideViolation("metadata.sections", in: "norway") {
            $0.changed { script in
                for number in 0..<26 {
                    script.load("{\"type\":\"static\",\"section\":\"Section \(number)\"}")
                }
            }
        },
        GuideViolation("metadata.audio", in: "norway") {
            $0.inserting("trackViewability", #"{"invs":[50,1,1528457356,10]}"#, after: { $0.isPlayhead })
        },
        GuideViolation("device.values", in: "ireland") {
            $0.inserting("updateOTT", #"{"ottStatus":"on"}"#, after: { $0.isPlayhead })
        },
        GuideViolation("device.values", in: "ireland") {
            $0.inserting("setVolume", "\"loud\"", after: { $0.isPlayhead })
        },
        GuideViolation("device.values", in: "ireland") {
            $0.inserting("setVolume", "0.5", after: { $0.isPlayhead })
        },
        GuideViolation("device.values", in: "ireland") {
            $0.inserting("trackViewability", #"{"invs":[120,1,1528457356,10]}"#, after: { $0.isPlayhead })
        },
    ]

    /// Violations that show in a log without values.
    static let withoutValues: [GuideViolation] = [
        GuideViolation("order.play", in: "ireland") { $0.without("play", at: 0) },
        GuideViolation("playhead.interval", in: "ireland") {
            $0.without { $0.isPlayhead && $0.at > 1 && $0.at < 50 }
        },
        GuideViolation("metadata.keys", in: "ireland") { $0.replacing("\"type\":null,", with: "") },
        GuideViolation("metadata.spelling", in: "ireland", .warn) {
            $0.replacing("\"assetid\"", with: "\"assetId\"")
        },
        GuideViolation("order.calls", in: "ireland", .warn) {
            $0.inserting("resume", after: { $0.isPlayhead })
        },
        GuideViolation("interruption.background", in: "ireland") {
            $0.inserting("appInBackground", after: { $0.isPlayhead && $0.at == 20 })
        },
    ]

    /// Changes that a viewer or a network causes, and no guide forbids.
    static let allowed: [GuideViolation] = [
        GuideViolation("", in: "ireland", .pass) { $0.delaying(from: 30, by: 12) },
        GuideViolation("", in: "norway-live", .pass) { $0.delaying(from: 30, by: 12) },
        GuideViolation("", in: "simplified", .pass) {
            $0.without {
                $0.isNamed("trackEvent") && Int($0.at) % 2 == 1
                    && $0.arguments[0].contains("\"event\":\"playhead\"")
            }
        },
        // Guide 003 prints the position `1501225191747`.
        GuideViolation("", in: "simplified", .pass) {
            $0.changed { script in
                for index in script.calls.indices
                where script.calls[index].arguments[0].contains("content\",\"meta") {
                    script.calls[index].arguments[0].replace(#/"playheadPosition":"([0-9]+)"/#) { match in
                        "\"playheadPosition\":\"\((1_501_225_000 + (Int(match.1) ?? 0)) * 1_000 + 747)\""
                    }
                }
            }
        },
        GuideViolation("", in: "ireland-hour", .pass) { $0.atHundredTimesTheSpeed },
        GuideViolation("", in: "norway-ads", .pass) { $0.atHundredTimesTheSpeed },
        GuideViolation("", in: "us", .pass) { $0.atHundredTimesTheSpeed },
        GuideViolation("", in: "italy-page", .pass) {
            $0.changed { script in
                for number in 0..<26 {
                    script.load(
                        "{\"type\":\"static\",\"assetid\":\"Page\",\"section\":\"S\(number)_Entity_iOS\"}")
                    script.at += 20
                }
            }
        },
        GuideViolation("", in: "norway", .pass) {
            $0.inserting("appInBackground", after: { $0.isPlayhead && $0.at == 20 })
                .inserting("appInForeground", after: { $0.isPlayhead && $0.at == 40 })
        },
        GuideViolation("", in: "norway", .pass) {
            $0.changed {
                $0.calls.insert(PlayerScript.Call(at: 0, name: "getMeterVersion", arguments: []), at: 0)
            }
        },
    ]
}
