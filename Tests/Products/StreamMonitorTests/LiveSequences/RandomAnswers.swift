import ByteReading
import TestSupport

@testable import StreamSynthesis

/// The random responses of a channel's server, from a seed: playlists, segments, statuses, redirects and silence.
struct RandomAnswers {
    private var playlists: RandomPlaylist
    /// Whether every third segment has thousands of tags.
    private let isFlooded: Bool

    init(seed: UInt64, channel: Int, isFlooded: Bool) {
        self.isFlooded = isFlooded
        playlists = RandomPlaylist(
            random: SplitMix64(seed: seed, stream: 0x4C49_5645, index: UInt64(channel)))
    }

    /// A playlist of 48 MB, compressed to 50 kB.
    private static let bomb: [UInt8] = {
        let text = Array(("#EXTM3U\n" + String(repeating: "#EXTINF:1,\n", count: 4 << 20)).utf8)
        do {
            return try Deflation.deflate(text.span, .gzip)
        } catch {
            return []
        }
    }()

    /// Returns the response to a request that a working server would answer with this body.
    mutating func answer(to target: String, body: [UInt8]) -> [LoopbackServer.Step] {
        let isPlaylist = target.hasSuffix(".m3u8")
        switch Int.random(in: 0..<40, using: &playlists.random) {
        case 0: return [.hang]
        case 1: return [.reset]
        case 2: return [response(status())]
        case 3: return [redirect(from: target)]
        case 4: return partial(body)
        case 5 where isPlaylist: return answer(Self.bomb, "Content-Encoding: gzip")
        case 6: return answer(Array("<!DOCTYPE html><title>Sign in</title>".utf8), "Content-Type: text/html")
        case 7:
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(playlists.number())\r\n\r\n"), .sendBytes(body),
                .close,
            ]
        case 8: return answer(version(of: body, isPlaylist), oddField())
        case 9:
            return [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\n"), .close,
            ]
        default: return answer(version(of: body, isPlaylist))
        }
    }

    private func answer(_ body: [UInt8], _ fields: String...) -> [LoopbackServer.Step] {
        let head = ["HTTP/1.1 200 OK", "Content-Length: \(body.count)"] + fields
        return [.send(head.joined(separator: "\r\n") + "\r\n\r\n"), .sendBytes(body)]
    }

    private mutating func status() -> String {
        let codes = [
            "204 No Content", "304 Not Modified", "403 No", "404 No", "410 Gone", "416 No", "429 Later",
            "500 No", "503 No",
        ]
        return codes.randomElement(using: &playlists.random) ?? "500 No"
    }

    private mutating func redirect(from target: String) -> LoopbackServer.Step {
        let targets = [
            target, "//127.0.0.1:1/x", "file:///etc/passwd", "/nowhere.m3u8", "http://[::1]:1/", "\\\\x",
            target + "?q=1",
        ]
        let location = targets.randomElement(using: &playlists.random) ?? target
        return response("302 Found", headers: ["Location: \(location)"])
    }

    /// Returns a response whose body stops in its middle: the connection is closed, or stays open.
    private mutating func partial(_ body: [UInt8]) -> [LoopbackServer.Step] {
        let count = Int.random(in: 0...body.count, using: &playlists.random)
        let end: LoopbackServer.Step = Bool.random(using: &playlists.random) ? .close : .hang
        return [
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count + 1)\r\n\r\n"),
            .sendBytes(Array(body.prefix(count))), end,
        ]
    }

    private mutating func oddField() -> String {
        let number = playlists.number()
        let fields = [
            "Retry-After: \(number)", "Age: \(number)", "Content-Range: bytes \(number)-\(number)/\(number)",
            "ETag: \(String(repeating: "x", count: 60_000))", "Date: \(number)", "Content-Encoding: gzip",
            "Content-Encoding: br", "Cache-Control: max-age=\(number)", "Content-Type: text/html",
        ]
        return fields.randomElement(using: &playlists.random) ?? ""
    }

    private mutating func version(of body: [UInt8], _ isPlaylist: Bool) -> [UInt8] {
        isPlaylist ? playlists.version(of: String(decoding: body, as: UTF8.self)) : segment(body)
    }

    /// Returns a version of a segment, in most cases unchanged.
    private mutating func segment(_ body: [UInt8]) -> [UInt8] {
        var bytes = body
        switch Int.random(in: 0..<12, using: &playlists.random) {
        case 0: return []
        case 1: return Array(bytes.prefix(.random(in: 0...bytes.count, using: &playlists.random)))
        case 2 where !bytes.isEmpty:
            for _ in 0..<Int.random(in: 1...200, using: &playlists.random) {
                bytes[.random(in: bytes.indices, using: &playlists.random)] = .random(
                    in: 0...255, using: &playlists.random)
            }
            return bytes
        case 3: return playlists.random.bytes(.random(in: 0...100_000, using: &playlists.random))
        case 4: return frames(.random(in: 1...200, using: &playlists.random)) + body
        case 6...9 where isFlooded: return frames(.random(in: 1...3_000, using: &playlists.random)) + body
        case 5: return body + body
        default: return bytes
        }
    }

    private mutating func frames(_ count: Int) -> [UInt8] { (0..<count).flatMap { privateFrame($0) } }

    /// Returns an ID3v2.4 tag with a Nielsen PRIV frame, whose payload is meaningless.
    private mutating func privateFrame(_ number: Int) -> [UInt8] {
        let owner =
            Array(
                "www.nielsen.com/\(number)/\(UInt32.random(in: 0...UInt32.max, using: &playlists.random))"
                    .utf8) + [0]
        let size = UInt8(owner.count)
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, size + 10] + Array("PRIV".utf8) + [0, 0, 0, size, 0, 0]
            + owner
    }
}
