/// The faults of live channels and their times, which count from the start of the station.
package struct LiveScript: Sendable, Hashable {
    /// The events, in the order of their lines.
    package let events: [Event]

    /// A script without faults.
    package static let empty = LiveScript([])

    init(_ events: [Event]) { self.events = events }

    /// One line of a script: a fault, its times and its channels.
    package struct Event: Sendable, Hashable {
        /// The fault.
        package let fault: LiveFault
        /// The time of the first occurrence, in milliseconds.
        let start: Int64
        /// The duration in milliseconds, or nil for a fault that is unlimited or momentary.
        let length: Int64?
        /// The repetition period in milliseconds, or nil for a single occurrence.
        let period: Int64?
        /// The channels, numbered from 1, or nil for all.
        let channels: [ClosedRange<Int>]?

        /// Returns whether the event affects a channel.
        func includes(channel: Int) -> Bool { channels?.contains { $0.contains(channel) } ?? true }

        /// Returns the start of the last occurrence that began by `time`, or nil if there is none.
        func lastStart(at time: Int64) -> Int64? {
            guard time >= start else { return nil }
            guard let period else { return start }
            return start + (time - start) / period * period
        }

        /// Returns the start of the occurrence that is active at `time`, or nil if there is none.
        func activeStart(at time: Int64) -> Int64? {
            guard let began = lastStart(at: time) else { return nil }
            return length.map { time < began + $0 } ?? true ? began : nil
        }

        /// Returns the number of occurrences that began by `time`.
        func startCount(at time: Int64) -> Int64 {
            guard let last = lastStart(at: time) else { return 0 }
            return period.map { (last - start) / $0 + 1 } ?? 1
        }
    }
}
