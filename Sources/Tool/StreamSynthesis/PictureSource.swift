import CDTVRLibAV
import Glibc

/// The encoded pictures of a rendition: a test pattern encoded with libx264.
///
/// It shows color bars, a gray ramp with a moving block, a counter of minutes, seconds and pictures, the word
/// SYNTHETIC, and a white square for a fifth of a second at every tag. Only the parts that change are redrawn, so a
/// picture costs a few hundred rows of memory writes. In a long stream the pictures repeat (`EncodedLoop`), and the
/// counter with them.
@safe struct PictureSource: ~Copyable {
    /// The encoder, whose parameters are copied to a muxer.
    var encoder: Encoder
    private let width: Int
    private let height: Int
    /// The unit of all dimensions: one thirty-sixth of the height, rounded down to an even number.
    private let unit: Int
    private let tagPictures: Int
    private var isPrepared = false

    init(
        _ video: SynthesisSettings.Video, tagInterval: Int, hasGlobalHeader: Bool
    ) throws(SynthesisError) {
        let (width, height) = (Int32(video.width), Int32(video.height))
        let rate = Int64(video.maximumBitrate)
        var options = [
            ("preset", "ultrafast"),
            // Disables buffering, so that each frame produces a packet immediately.
            ("tune", "zerolatency"), ("profile", "main"), ("coder", "cabac"), ("forced-idr", "1"),
            ("aud", "1"),
            ("x264-params", "scenecut=0:keyint=infinite:bframes=0"),
        ]
        if video.isConstantBitrate {
            // Filler NAL units pad the pattern to the constant bit rate (ISO/IEC 14496-10, annex C).
            if !hasGlobalHeader { options.append(("nal-hrd", "cbr")) }
        } else {
            options.append(("crf", "48"))
        }
        let encoder = try unsafe Encoder.open("libx264", options: options) { context, frame in
            // The context and the frame are owned by this encoder; neither is open or has buffers yet.
            unsafe context.pointee.width = width
            unsafe context.pointee.height = height
            unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
            unsafe context.pointee.time_base = AVRational(num: 1, den: 25)
            unsafe context.pointee.framerate = AVRational(num: 25, den: 1)
            unsafe context.pointee.level = Int32(Self.level(video))
            unsafe context.pointee.rc_max_rate = rate
            unsafe context.pointee.rc_buffer_size = Int32(rate)
            if video.isConstantBitrate {
                unsafe context.pointee.bit_rate = rate
                unsafe context.pointee.rc_min_rate = rate
            }
            if hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            unsafe frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
            unsafe frame.pointee.width = width
            unsafe frame.pointee.height = height
        }
        self.encoder = encoder
        self.width = video.width
        self.height = video.height
        unit = max(2, video.height / 36 & ~1)
        tagPictures = tagInterval * 25
    }

    /// Draws and encodes picture `index`, as an IDR picture at the start of a segment.
    mutating func picture(
        _ index: Int, isFirstOfSegment: Bool, into packet: EncodedPacket
    ) throws(SynthesisError) {
        try encoder.makeFrameWritable()
        draw(index)
        // The frame is owned by the encoder.
        unsafe encoder.frame.pointee.pts = Int64(index)
        unsafe encoder.frame.pointee.pict_type =
            isFirstOfSegment ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        try encoder.sendFrame()
        guard try encoder.receive(into: packet) else {
            throw .unexpectedOutput(rule: "libx264 delays no picture with zerolatency")
        }
    }

    /// Returns the H.264 level times ten for the size and bit rate (ISO/IEC 14496-10, table A-1).
    static func level(_ video: SynthesisSettings.Video) -> Int {
        let macroblocks = ((video.width + 15) / 16) * ((video.height + 15) / 16)
        switch (macroblocks, video.maximumBitrate) {
        case (...1620, ...10_000_000): return 30
        case (...3600, ...14_000_000): return 31
        case (...8192, ...20_000_000): return 40
        default: return 51
        }
    }

    // MARK: The pattern

    /// A color in BT.601 with limited range.
    private typealias Color = (luma: UInt8, blue: UInt8, red: UInt8)

    private static let black: Color = (16, 128, 128)
    private static let white: Color = (235, 128, 128)

    /// White, yellow, cyan, green, magenta, red and blue at 75 %.
    private static let bars: [Color] = [
        (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212),
        (35, 212, 114),
    ]

    /// Draws picture `index` on the frame, which contains picture `index - 1` or is new.
    private mutating func draw(_ index: Int) {
        if !isPrepared {
            drawBackground()
            isPrepared = true
        }
        drawRamp()
        fill(x: blockPosition(index), y: height * 3 / 4, width: 2 * unit, height: 4 * unit, Self.white)
        let square = index >= tagPictures && index % tagPictures < 5 ? Self.white : Self.black
        fill(x: width - 5 * unit, y: unit, width: 4 * unit, height: 4 * unit, square)
        let seconds = index / 25
        let fields = [seconds / 60 % 100, seconds % 60, index % 25]
        let text = fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        write(text, x: 3 * unit, y: height / 3, scale: unit & ~1)
    }

    /// The number of pictures in which the block crosses the picture and returns: eight seconds.
    static let blockPeriod = 200

    private func blockPosition(_ index: Int) -> Int {
        let place = index % Self.blockPeriod
        return (width - 2 * unit) * (place < 100 ? place : Self.blockPeriod - place) / 100 & ~1
    }

    private func drawBackground() {
        for (bar, color) in Self.bars.enumerated() {
            let left = width * bar / 7 & ~1
            let right = bar == 6 ? width : width * (bar + 1) / 7 & ~1
            fill(x: left, y: 0, width: right - left, height: height, color)
        }
        write("SYNTHETIC", x: 3 * unit, y: unit, scale: max(2, unit / 2 & ~1))
    }

    private func drawRamp() {
        for step in 0..<16 {
            let left = width * step / 16 & ~1
            let right = step == 15 ? width : width * (step + 1) / 16 & ~1
            fill(
                x: left, y: height * 3 / 4, width: right - left, height: 4 * unit,
                (UInt8(16 + 12 * step), 128, 128))
        }
    }

    /// Draws text with glyphs of 5 by 7 squares on black.
    private func write(_ text: String, x: Int, y: Int, scale: Int) {
        let letters = text.compactMap { Self.glyphs[$0] }
        fill(
            x: x - scale, y: y - scale, width: (6 * letters.count + 1) * scale, height: 9 * scale,
            Self.black)
        for (place, rows) in letters.enumerated() {
            for (row, bits) in rows.enumerated() {
                for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
                    fill(
                        x: x + (6 * place + column) * scale, y: y + row * scale, width: scale,
                        height: scale, Self.white)
                }
            }
        }
    }

    /// Fills a rectangle, clipped to the picture.
    private func fill(
        x: Int, y: Int, width: Int, height: Int, _ color: Color
    ) {
        let left = max(0, x)
        let top = max(0, y & ~1)
        let right = min(self.width, x + width)
        let bottom = min(self.height, (y & ~1) + height)
        guard left < right, top < bottom else { return }
        // The frame has three planes with `linesize` bytes per row, the second and third at half the width and height.
        // The rectangle was clipped to the allocated size.
        let planes = unsafe encoder.frame.pointee.data
        let sizes = unsafe encoder.frame.pointee.linesize
        guard let luma = unsafe planes.0, let blue = unsafe planes.1, let red = unsafe planes.2 else {
            return
        }
        for row in top..<bottom {
            unsafe memset(luma + row * Int(sizes.0) + left, Int32(color.luma), right - left)
        }
        let halfWidth = (right + 1) / 2 - left / 2
        for row in top / 2..<(bottom + 1) / 2 {
            unsafe memset(blue + row * Int(sizes.1) + left / 2, Int32(color.blue), halfWidth)
            unsafe memset(red + row * Int(sizes.2) + left / 2, Int32(color.red), halfWidth)
        }
    }

    /// The glyphs, seven rows of five bits each.
    private static let glyphs: [Character: [UInt8]] = [
        "0": [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        "1": [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        "2": [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        "3": [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        "4": [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        "5": [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        "6": [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        "7": [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        "8": [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        "9": [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        ":": [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000],
        "C": [0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110],
        "E": [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
        "H": [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
        "I": [0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        "N": [0b10001, 0b11001, 0b10101, 0b10011, 0b10001, 0b10001, 0b10001],
        "S": [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110],
        "T": [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
        "Y": [0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100],
    ]
}
