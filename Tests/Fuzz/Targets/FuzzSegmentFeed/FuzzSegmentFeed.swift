import ExtremeMutation
import PlayerSession

/// Feeds the input as segments of several tracks, as a player does.
///
/// Each segment begins with three bytes: its track and flags, its position, and its length in units of 188 bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let feed = SegmentFeed()
    var place = 0
    var total = 0
    while place + 3 <= input.count {
        let (choice, position, size) = (input[place], input[place + 1], Int(input[place + 2]))
        place += 3
        let end = min(input.count, place + max(1, size) * 188)
        let bytes = Array(input[place..<end])
        place = end
        var segment = SegmentFeed.Segment(at: position == 0xFF ? nil : Double(position) * 4)
        segment.track = Int(choice & 15)
        segment.isDiscontinuous = choice & 16 != 0
        segment.followsJump = choice & 32 != 0
        guard let found = feed.read(bytes.span, segment) else { continue }
        for tag in found.tags {
            precondition(!tag.bytes.isEmpty)
            precondition((tag.mediaTime == nil) == (segment.position == nil))
            precondition(tag.mediaTime?.isFinite ?? true)
            if let time = tag.mediaTime, let start = segment.position { precondition(time >= start - 10) }
            total &+= tag.bytes.count
        }
        // Each of its tags is a repeated one now, except those that continue in the next segment or were forgotten.
        if found.tags.count < 100, segment.position != nil {
            segment.followsJump = false
            let again = feed.read(bytes.span, segment)
            precondition(again != nil)
        }
    }
    // The result is used, so that a release build does not omit the work.
    return total == .min ? 1 : 0
}
