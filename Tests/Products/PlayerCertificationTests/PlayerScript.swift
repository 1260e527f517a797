/// The calls of a player, at the times at which a viewer causes them.
struct PlayerScript {
    /// A call of the log.
    struct Call {
        var at: Double
        var name: String
        /// The arguments as JSON.
        var arguments: [String]
    }

    var calls: [Call] = []
    /// The time of the next call, in seconds.
    var at = 0.0
    /// Whether calls have the form of a browser.
    private let isOfBrowser: Bool

    init(ofBrowser isOfBrowser: Bool = false) { self.isOfBrowser = isOfBrowser }

    /// The log as JSON lines.
    var bytes: [UInt8] {
        let lines = calls.map {
            #"{"at":\#($0.at),"call":"\#($0.name)","arguments":[\#($0.arguments.joined(separator: ","))]}"#
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    // MARK: Calls

    mutating func call(_ name: String, _ arguments: String...) {
        let isWrapped = isOfBrowser && name != "nlsQ"
        calls.append(
            Call(
                at: at, name: isWrapped ? "ggPM" : name,
                arguments: isWrapped ? ["\"\(name)\""] + arguments : arguments))
    }

    mutating func load(_ metadata: String) { call("loadMetadata", metadata) }

    /// Reports positions up to the upper bound, with a tag every 10 seconds if `tags` is its number at 0.
    mutating func playheads(_ positions: Range<Int>, every interval: Int = 1, tags: Int? = nil) {
        for position in stride(from: positions.lowerBound, to: positions.upperBound, by: interval) {
            call(isOfBrowser ? "setPlayheadPosition" : "playheadPosition", String(position))
            if let tags, position % 10 == 0 { call("sendID3", "\"\(Self.tag(tags + position / 10))\"") }
            at += Double(interval)
        }
    }

    /// Reports positions of `trackEvent`, and then its last event.
    ///
    /// - Parameter metadata: the member `metadata`, as JSON.
    mutating func track(_ type: String, _ metadata: String, _ positions: Range<Int>, last: String) {
        func event(_ kind: String, _ position: Int) -> String {
            #"{"event":"\#(kind)","type":"\#(type)","metadata":\#(metadata),"playheadPosition":"\#(position)"}"#
        }
        for position in positions {
            call("trackEvent", event("playhead", position))
            at += 1
        }
        call("trackEvent", event(last, positions.upperBound))
    }

    /// Returns a tag with a number: one of guide 003, whose times and offsets follow it.
    static func tag(_ number: Int) -> String {
        let offset = String(33_648 + number * 10)
        return
            "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn"
            + "2KLSrTzyJpZZ-QeRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMz"
            + "dVqrMKuvvJO1jhtSXa9AroChb11ZUnG1WVJx2O4M=/\(offset)/\(offset)/00"
    }

    // MARK: Changes

    /// Removes the calls that `isRemoved` selects.
    func without(_ isRemoved: (Call) -> Bool) -> PlayerScript {
        var script = self
        script.calls.removeAll(where: isRemoved)
        return script
    }

    /// Removes the call with a number, from 0, among those with a name.
    func without(_ name: String, at index: Int) -> PlayerScript {
        var script = self
        let places = calls.indices.filter { calls[$0].isNamed(name) }
        script.calls.remove(at: places[index])
        return script
    }

    /// Replaces text in the arguments of the calls that `isChanged` selects.
    func replacing(
        _ text: String, with other: String, in isChanged: (Call) -> Bool = { _ in true }
    ) -> PlayerScript {
        var script = self
        for index in calls.indices where isChanged(calls[index]) {
            script.calls[index].arguments = calls[index].arguments.map { $0.replacing(text, with: other) }
        }
        return script
    }

    /// Inserts a call after the first one that `isBefore` selects, at its time.
    func inserting(
        _ name: String, _ arguments: String..., after isBefore: (Call) -> Bool
    ) -> PlayerScript {
        var script = self
        guard let place = calls.firstIndex(where: isBefore) else { return script }
        script.calls.insert(Call(at: calls[place].at, name: name, arguments: arguments), at: place + 1)
        return script
    }

    /// Adds seconds to the positions that are reported in a range of time.
    func shifting(_ times: Range<Double>, by seconds: Int) -> PlayerScript {
        var script = self
        for index in calls.indices where calls[index].isPlayhead && times.contains(calls[index].at) {
            script.calls[index].arguments = calls[index].arguments.map { argument in
                Int(argument).map { String($0 + seconds) } ?? argument
            }
        }
        return script
    }

    /// Returns the script after a change in place.
    func changed(_ change: (inout PlayerScript) -> Void) -> PlayerScript {
        var script = self
        change(&script)
        return script
    }

    /// The calls of a player that plays faster than a viewer watches.
    var atHundredTimesTheSpeed: PlayerScript {
        changed { script in
            for index in script.calls.indices { script.calls[index].at /= 100 }
        }
    }

    /// Delays the calls from a time on.
    func delaying(from start: Double, by seconds: Double) -> PlayerScript {
        var script = self
        for index in calls.indices where calls[index].at >= start { script.calls[index].at += seconds }
        return script
    }
}

extension PlayerScript.Call {
    /// Whether the call has a name, in either form.
    func isNamed(_ name: String) -> Bool { self.name == name || arguments.first == "\"\(name)\"" }

    /// Whether the call loads an asset of a type.
    func loads(_ type: String) -> Bool {
        isNamed("loadMetadata") && arguments.contains { $0.contains("\"type\":\"\(type)\"") }
    }

    /// Whether the call reports a position.
    var isPlayhead: Bool { isNamed("playheadPosition") || isNamed("setPlayheadPosition") }
}
