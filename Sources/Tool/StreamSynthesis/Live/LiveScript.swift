/// What goes wrong with live channels, and when: times count from the start of the station.
package struct LiveScript: Sendable, Hashable {
    /// The lines that say something, in their order.
    package let events: [Event]

    /// A script without a fault.
    package static let empty = LiveScript([])

    init(_ events: [Event]) { self.events = events }

    /// One line: a fault, when it comes and for which channels.
    package struct Event: Sendable, Hashable {
        /// What goes wrong.
        package let fault: LiveFault
        /// When it first comes, in milliseconds.
        let start: Int64
        /// How long it lasts; nil for something that does not end, or does not last.
        let length: Int64?
        /// After how many milliseconds it comes again; nil for once.
        let period: Int64?
        /// The channels, numbered from 1; nil for all.
        let channels: [ClosedRange<Int>]?

        /// Whether the event is one of a channel's.
        func includes(channel: Int) -> Bool { channels?.contains { $0.contains(channel) } ?? true }

        /// When it last began, at or before a time; nil where it has not yet.
        func lastStart(at time: Int64) -> Int64? {
            guard time >= start else { return nil }
            guard let period else { return start }
            return start + (time - start) / period * period
        }

        /// When the occurrence began that is under way at a time; nil where none is.
        func activeStart(at time: Int64) -> Int64? {
            guard let began = lastStart(at: time) else { return nil }
            return length.map { time < began + $0 } ?? true ? began : nil
        }

        /// How many times it has begun by a time.
        func startCount(at time: Int64) -> Int64 {
            guard let last = lastStart(at: time) else { return 0 }
            return period.map { (last - start) / $0 + 1 } ?? 1
        }
    }
}
