// Implements functions of dtvr.h under their C names; the header documents them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import CDTVRHeader
import PlayerSession

@implementation @c
package func dtvr_play(
    _ session: OpaquePointer!, _ channelInfo: UnsafePointer<CChar>!, _ length: Int, _ playhead: Double
) -> dtvr_status {
    unsafe call(.play, session, InputText(channelInfo, length), time: playhead)
}

@implementation @c
package func dtvr_load_metadata(
    _ session: OpaquePointer!, _ metadata: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.loadMetadata, session, InputText(metadata, length))
}

@implementation @c
package func dtvr_update_metadata(
    _ session: OpaquePointer!, _ metadata: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.updateMetadata, session, InputText(metadata, length))
}

@implementation @c
package func dtvr_static_start(
    _ session: OpaquePointer!, _ metadata: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.staticStart, session, InputText(metadata, length))
}

@implementation @c
package func dtvr_static_end(_ session: OpaquePointer!) -> dtvr_status { unsafe call(.staticEnd, session) }

@implementation @c
package func dtvr_send_id3(
    _ session: OpaquePointer!, _ tag: UnsafeRawPointer!, _ length: Int, _ mediaTime: Double
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        guard let tag = unsafe tag, let length = unsafe InputText.byteCount(tag, length) else {
            return handle.session.sendID3([], mediaTime: nil).status
        }
        // Safe: the caller's bytes are valid for the duration of the call, and the session copies what it stores.
        let bytes = unsafe UnsafeBufferPointer(start: tag.assumingMemoryBound(to: UInt8.self), count: length)
        return unsafe handle.session.sendID3(bytes.span, mediaTime: mediaTime.isNaN ? nil : mediaTime).status
    }
}

@implementation @c
package func dtvr_feed_segment(
    _ session: OpaquePointer!, _ segment: UnsafeRawPointer!, _ length: Int, _ start: Double, _ track: UInt32,
    _ flags: UInt32, _ result: UnsafeMutablePointer<dtvr_fed>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        guard let segment = unsafe segment else { return DTVR_NULL_POINTER }
        // Safe: the caller's variable is valid for the duration of the call.
        let isSized = unsafe result.map { unsafe $0.pointee.size >= MemoryLayout<Int>.size } ?? true
        guard isSized, length >= 0, track < SegmentFeed.trackCount,
            flags & ~UInt32(DTVR_FEED_DISCONTINUITY | DTVR_FEED_JUMP) == 0
        else { return DTVR_INVALID_OPTION }
        var description = SegmentFeed.Segment(at: start.isNaN ? nil : start)
        description.track = Int(track)
        description.isDiscontinuous = flags & UInt32(DTVR_FEED_DISCONTINUITY) != 0
        description.followsJump = flags & UInt32(DTVR_FEED_JUMP) != 0
        // Safe: the caller guarantees `length` bytes for the duration of the call, which keeps no reference to them.
        let bytes = unsafe UnsafeBufferPointer(
            start: segment.assumingMemoryBound(to: UInt8.self), count: length)
        guard let fed = unsafe handle.session.feedSegment(bytes.span, description) else {
            return DTVR_INVALID
        }
        return unsafe result == nil ? DTVR_DONE : answer(dtvr_fed(fed), to: result)
    }
}

@implementation @c
package func dtvr_playhead_position(_ session: OpaquePointer!, _ seconds: Double) -> dtvr_status {
    unsafe call(.playheadPosition, session, .number(seconds))
}

@implementation @c
package func dtvr_pause(_ session: OpaquePointer!, _ playhead: Double) -> dtvr_status {
    unsafe call(.pause, session, time: playhead)
}

@implementation @c
package func dtvr_stop(_ session: OpaquePointer!, _ playhead: Double) -> dtvr_status {
    unsafe call(.stop, session, time: playhead)
}

@implementation @c
package func dtvr_end(_ session: OpaquePointer!, _ playhead: Double) -> dtvr_status {
    unsafe call(.end, session, time: playhead)
}

@implementation @c
package func dtvr_set_volume(_ session: OpaquePointer!, _ percent: Double) -> dtvr_status {
    unsafe call(.setVolume, session, .number(percent))
}

@implementation @c
package func dtvr_set_mute(_ session: OpaquePointer!, _ isMuted: Bool) -> dtvr_status {
    unsafe call(.setMute, session, .flag(isMuted))
}

@implementation @c
package func dtvr_update_ott(
    _ session: OpaquePointer!, _ information: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.updateOTT, session, InputText(information, length))
}

@implementation @c
package func dtvr_track_viewability(
    _ session: OpaquePointer!, _ series: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.trackViewability, session, InputText(series, length))
}

@implementation @c
package func dtvr_app_in_background(_ session: OpaquePointer!) -> dtvr_status {
    unsafe call(.appInBackground, session)
}

@implementation @c
package func dtvr_app_in_foreground(_ session: OpaquePointer!) -> dtvr_status {
    unsafe call(.appInForeground, session)
}

@implementation @c
package func dtvr_process_event(
    _ session: OpaquePointer!, _ event: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.processEvent, session, InputText(event, length))
}

@implementation @c
package func dtvr_track_event(
    _ session: OpaquePointer!, _ data: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.trackEvent, session, InputText(data, length))
}

@implementation @c
package func dtvr_ggpm(
    _ session: OpaquePointer!, _ event: UnsafePointer<CChar>!, _ eventLength: Int,
    _ data: UnsafePointer<CChar>!, _ dataLength: Int, _ playhead: Double
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        let texts = unsafe [InputText(event, eventLength), InputText(data, dataLength)]
        for case .notUTF8 in texts { return DTVR_NOT_UTF8 }
        return handle.session.ggPM(
            texts[0].value ?? .null, texts[1].value ?? .null, playhead: playhead.isNaN ? nil : playhead
        ).status
    }
}

@implementation @c
package func dtvr_call(
    _ session: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ nameLength: Int,
    _ arguments: UnsafePointer<CChar>!, _ argumentsLength: Int, _ buffer: UnsafeMutablePointer<CChar>!,
    _ capacity: Int, _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        let texts = unsafe [InputText(name, nameLength), InputText(arguments, argumentsLength)]
        for case .notUTF8 in texts { return DTVR_NOT_UTF8 }
        guard case .text(let name) = texts[0] else { return DTVR_NULL_POINTER }
        var values: [MetadataValue] = []
        if case .text(let list) = texts[1] {
            guard case .list(let list)? = MetadataValue(json: Array(list.utf8)) else { return DTVR_REFUSED }
            values = list
        }
        let result = handle.session.call(SessionCall(named: name, values))
        let copied = unsafe OutputText(buffer, capacity, length).write(result.json)
        return copied == DTVR_DONE ? result.status : copied
    }
}
