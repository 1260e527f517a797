import ByteCompression

/// Compresses the bodies of batches as a collector wants them.
struct BatchCompressor: ~Copyable {
    /// What zstd is set to: of all that was tried the shortest batches in the least time.
    ///
    /// A line is mostly random characters, and what it repeats stands in the line before: a table of matches that
    /// forgets anything older stays in the processor's nearest memory, and finds the distances that cost the
    /// fewest bits.
    private static var settings: ZstdCompressor.Settings {
        var settings = ZstdCompressor.Settings(level: 1)
        settings.hashLog = 10
        settings.minimumMatch = 6
        return settings
    }

    /// Used again for every batch; none where there was no memory for one.
    private var zstd: ZstdCompressor?

    init() {
        do throws(CompressionError) {
            zstd = try ZstdCompressor(Self.settings)
        } catch {
            zstd = nil
        }
    }

    /// The bytes in that encoding; nil where the library could not do it.
    mutating func compress(_ bytes: [UInt8], as encoding: ContentEncoding) -> [UInt8]? {
        do throws(CompressionError) {
            switch encoding {
            case .identity: return bytes
            case .zstd: return try zstd?.compress(bytes.span)
            case .gzip: return try Deflation.deflate(bytes.span, .gzip)
            }
        } catch {
            return nil
        }
    }
}
