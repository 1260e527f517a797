import CDTVRLibAV
import Glibc

/// The test pattern of the stream's pictures.
///
/// It shows color bars, a gray ramp with a moving block, a counter of minutes, seconds and pictures, the word
/// SYNTHETIC, and a white square for a fifth of a second at every tag. Only the parts that change are redrawn, so a
/// picture costs a few hundred rows of memory writes. In a long stream the pictures repeat (`EncodedLoop`), and the
/// counter with them.
struct TestPattern {
    /// A color in BT.601 with limited range.
    struct Color {
        let luma: UInt8
        let blue: UInt8
        let red: UInt8

        static let black = Color(luma: 16, blue: 128, red: 128)
        static let white = Color(luma: 235, blue: 128, red: 128)
    }

    /// White, yellow, cyan, green, magenta, red and blue at 75 %.
    private static let bars = [
        Color(luma: 180, blue: 128, red: 128), Color(luma: 162, blue: 44, red: 142),
        Color(luma: 131, blue: 156, red: 44), Color(luma: 112, blue: 72, red: 58),
        Color(luma: 84, blue: 184, red: 198), Color(luma: 65, blue: 100, red: 212),
        Color(luma: 35, blue: 212, red: 114),
    ]

    private let width: Int
    private let height: Int
    /// The unit of all dimensions: one thirty-sixth of the height, rounded down to an even number.
    private let unit: Int
    private let tagPictures: Int
    private var isPrepared = false

    init(width: Int, height: Int, tagInterval: Int) {
        self.width = width
        self.height = height
        unit = max(2, height / 36 & ~1)
        tagPictures = tagInterval * 25
    }

    /// Draws picture `index` on a frame that contains picture `index - 1` or is new.
    mutating func draw(_ index: Int, on frame: borrowing MediaFrame) {
        if !isPrepared {
            drawBackground(frame)
            isPrepared = true
        }
        drawRamp(frame)
        fill(frame, x: blockPosition(index), y: height * 3 / 4, width: 2 * unit, height: 4 * unit, .white)
        let square = index >= tagPictures && index % tagPictures < 5 ? Color.white : .black
        fill(frame, x: width - 5 * unit, y: unit, width: 4 * unit, height: 4 * unit, square)
        let seconds = index / 25
        let fields = [seconds / 60 % 100, seconds % 60, index % 25]
        let text = fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        write(frame, text, x: 3 * unit, y: height / 3, scale: unit & ~1)
    }

    /// The number of pictures in which the block crosses the picture and returns: eight seconds.
    static let blockPeriod = 200

    private func blockPosition(_ index: Int) -> Int {
        let place = index % Self.blockPeriod
        return (width - 2 * unit) * (place < 100 ? place : Self.blockPeriod - place) / 100 & ~1
    }

    private func drawBackground(_ frame: borrowing MediaFrame) {
        for (bar, color) in Self.bars.enumerated() {
            let left = width * bar / 7 & ~1
            let right = bar == 6 ? width : width * (bar + 1) / 7 & ~1
            fill(frame, x: left, y: 0, width: right - left, height: height, color)
        }
        write(frame, "SYNTHETIC", x: 3 * unit, y: unit, scale: max(2, unit / 2 & ~1))
    }

    private func drawRamp(_ frame: borrowing MediaFrame) {
        for step in 0..<16 {
            let left = width * step / 16 & ~1
            let right = step == 15 ? width : width * (step + 1) / 16 & ~1
            fill(
                frame, x: left, y: height * 3 / 4, width: right - left, height: 4 * unit,
                Color(luma: UInt8(16 + 12 * step), blue: 128, red: 128))
        }
    }

    /// Draws text with glyphs of 5 by 7 squares on black.
    private func write(_ frame: borrowing MediaFrame, _ text: String, x: Int, y: Int, scale: Int) {
        let letters = text.compactMap { TestGlyphs.rows[$0] }
        fill(
            frame, x: x - scale, y: y - scale, width: (6 * letters.count + 1) * scale, height: 9 * scale,
            .black)
        for (place, rows) in letters.enumerated() {
            for (row, bits) in rows.enumerated() {
                for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
                    fill(
                        frame, x: x + (6 * place + column) * scale, y: y + row * scale, width: scale,
                        height: scale, .white)
                }
            }
        }
    }

    /// Fills a rectangle, clipped to the picture.
    private func fill(
        _ frame: borrowing MediaFrame, x: Int, y: Int, width: Int, height: Int, _ color: Color
    ) {
        let left = max(0, x)
        let top = max(0, y & ~1)
        let right = min(self.width, x + width)
        let bottom = min(self.height, (y & ~1) + height)
        guard left < right, top < bottom else { return }
        // The frame has three planes with `linesize` bytes per row, the second and third at half the width and height.
        // The rectangle was clipped to the allocated size.
        let planes = unsafe frame.pointer.pointee.data
        let sizes = unsafe frame.pointer.pointee.linesize
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
}

/// The glyphs of the test pattern, seven rows of five bits each.
enum TestGlyphs {
    static let rows: [Character: [UInt8]] = [
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
