import ID3v2
import NielsenID3
import Testing

@testable import StreamHealth

@Suite struct ChannelRenditionsTests {
    /// The rendition that was not read for the longest time makes room.
    @Test func renditions_beyondTheLimit_displaceTheOldest() {
        var renditions = ChannelRenditions(policy: HealthPolicy(), window: 60)
        var displaced: [Double] = []
        for number in 0..<40 {
            let health = RenditionHealth(
                policy: HealthPolicy(), rendition: "\(number)", live: ChannelHealthSettings(),
                listsSettledFindings: true, at: SteadyTime(seconds: Double(number)))
            if let old = renditions.insert(health, as: RenditionID(number)) {
                displaced.append(old.lastTime.seconds)
            }
        }
        #expect(renditions.all.count == 16)
        #expect(displaced == (0..<24).map(Double.init))
    }
}
