import NielsenID3
import TextForms

/// The encoding of the session part of a stored body.
///
///     id        a text
///     order     a varint
///     flags     1 byte: 1 has a channel, 2 an asset, 4 a type, 8 a playhead, 16 a media time, 32 was presented,
///               64 an app session, 128 a play of the asset
///     texts     channel, asset, type, app session, play of the asset
///     numbers   playhead and media time, each 8 bytes, IEEE 754, big-endian
extension SessionPlace {
    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let channel = Flags(rawValue: 1)
        static let asset = Flags(rawValue: 2)
        static let assetType = Flags(rawValue: 4)
        static let playhead = Flags(rawValue: 8)
        static let mediaTime = Flags(rawValue: 16)
        static let presented = Flags(rawValue: 32)
        static let appSession = Flags(rawValue: 64)
        static let assetPlay = Flags(rawValue: 128)
    }

    /// Appends the session part.
    func encode(to bytes: inout CompactWriter) {
        var flags: Flags = []
        if channel != nil { flags.insert(.channel) }
        if asset != nil { flags.insert(.asset) }
        if assetType != nil { flags.insert(.assetType) }
        if playhead != nil { flags.insert(.playhead) }
        if mediaTime != nil { flags.insert(.mediaTime) }
        if isPresented { flags.insert(.presented) }
        if appSession != nil { flags.insert(.appSession) }
        if assetPlay != nil { flags.insert(.assetPlay) }
        bytes.text(id)
        bytes.varint(order)
        bytes.byte(flags.rawValue)
        for text in [channel, asset, assetType, appSession, assetPlay] {
            if let text { bytes.text(text) }
        }
        for number in [playhead, mediaTime] {
            if let number { bytes.fixed(number.bitPattern) }
        }
    }

    /// Decodes the output of `encode`.
    init(_ bytes: Span<UInt8>, _ reader: inout CompactReader) throws(StoredBody.DecodingError) {
        self.init(id: try reader.text(bytes), order: try reader.varint(bytes))
        let flags = Flags(rawValue: try reader.byte(bytes))
        if flags.contains(.channel) { channel = try reader.text(bytes) }
        if flags.contains(.asset) { asset = try reader.text(bytes) }
        if flags.contains(.assetType) { assetType = try reader.text(bytes) }
        if flags.contains(.appSession) { appSession = try reader.text(bytes) }
        if flags.contains(.assetPlay) { assetPlay = try reader.text(bytes) }
        if flags.contains(.playhead) { playhead = Double(bitPattern: try reader.fixed(bytes)) }
        if flags.contains(.mediaTime) { mediaTime = Double(bitPattern: try reader.fixed(bytes)) }
        isPresented = flags.contains(.presented)
    }
}

extension SessionPlace {
    /// Writes the members that are common to all records of a player.
    func writeMembers(to writer: inout JSONWriter) {
        if !id.isEmpty {
            writer.key("session")
            writer.value(id)
            writer.key("order")
            writer.value(decimal: order)
        }
        for (key, text) in [
            ("app_session", appSession), ("asset_play", assetPlay), ("channel", channel), ("asset", asset),
            ("type", assetType),
        ] {
            guard let text else { continue }
            writer.key(key)
            writer.value(text)
        }
        for (key, number) in [("playhead", playhead), ("media_time", mediaTime)] {
            guard let number else { continue }
            writer.key(key)
            writer.value(number)
        }
        guard optedOutStore != nil else { return }
        writer.key("opted_out")
        writer.value(true)
    }
}
