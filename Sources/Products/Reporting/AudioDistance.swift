package import NielsenID3
import StreamHealth
package import TimedMedia

/// How far a tag lies from the audio around it.
package enum AudioDistance {
    /// Seconds from the audio to the tag, positive where the tag is later; nil where either has no time.
    ///
    /// In a transport stream the audio is the last that began before the tag's first packet. Elsewhere it is the
    /// segment: the distance is 0 inside the segment's span, and from its nearer end outside of it.
    ///
    /// - Parameter facts: what the container says about the tag's segment; needed where there are no packets.
    package static func seconds(of tag: TagOccurrence, in facts: CarriageFacts? = nil) -> Double? {
        guard let time = tag.time else { return nil }
        if let transport = tag.transport {
            return transport.precedingMediaTime.map { difference(time, $0) }
        }
        guard let earliest = facts?.earliestMediaTime, let latest = facts?.latestMediaTime else { return nil }
        let (fromStart, fromEnd) = (difference(time, earliest), difference(time, latest))
        if fromStart < 0 { return fromStart }
        return max(0, fromEnd)
    }

    /// Two times of a 33-bit clock lie at most half its period apart, whichever way round it wrapped.
    private static func difference(_ time: MediaTimestamp, _ other: MediaTimestamp) -> Double {
        let seconds = time.seconds - other.seconds
        guard time.isTransport, other.isTransport else { return seconds }
        let period = Double(MediaTimestamp.transportPeriod) / Double(MediaTimestamp.transportTimescale)
        if seconds > period / 2 { return seconds - period }
        return seconds < -period / 2 ? seconds + period : seconds
    }
}
