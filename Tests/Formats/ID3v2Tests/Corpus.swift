import Foundation
import ID3v2
import TestSupport

/// The reference files, with the results of trusted readers.
enum Corpus {
    /// The folder of the files: `DTVR_CORPUS`, or next to the package.
    static let root = URL(fileURLWithPath: Project.corpus ?? "/nonexistent", isDirectory: true)

    static var isThere: Bool { Project.corpus != nil }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appendingPathComponent(name)))
    }

    /// One tag at the front of a file.
    struct LeadingTag {
        let name: String
        let bytes: [UInt8]
        let truth: Truth.Tag
        let taglib: Truth.TagLib?
    }

    /// Returns every tag at the start of every file; from the second tag of a file on, the name includes the offset.
    static func leadingTags() throws -> [LeadingTag] {
        let suffix = ".truth.json"
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        var tags: [LeadingTag] = []
        for name in names.sorted() where name.hasSuffix(suffix) {
            let data = try Data(contentsOf: root.appendingPathComponent(name))
            let file = String(name.dropLast(suffix.count))
            guard let truth = try? decoder.decode(Truth.self, from: data),
                let leading = truth.leadingTags, !leading.isEmpty
            else { continue }
            let bytes = try bytes(file)
            for (index, tag) in leading.enumerated() {
                tags.append(
                    LeadingTag(
                        name: index == 0 ? file : "\(file)@\(tag.offset)",
                        bytes: Array(bytes[tag.offset...]), truth: tag,
                        taglib: index == 0 ? truth.taglib : nil))
            }
        }
        return tags
    }

    /// The ID3v2 part of a `.truth.json`.
    struct Truth: Decodable {
        let leadingTags: [Tag]?
        let taglib: TagLib?

        struct Tag: Decodable {
            let offset: Int
            let version: String
            let flags: String
            let size: Int
            let total: Int
            let truncated: Bool
            let mutagen: Mutagen
        }
        struct Mutagen: Decodable { let frames: [MutagenFrame]? }
        struct MutagenFrame: Decodable {
            let id: String
            let text: Texts?
            let desc: String?
            let owner: String?
            let url: String?
            let lang: String?
            let data: Bytes?
        }
        struct TagLib: Decodable { let frames: [TagLibFrame]? }
        struct TagLibFrame: Decodable {
            let id: String
            let size: Int
            let text: String?
            let owner: String?
            let dataHex: String?
        }
        struct Bytes: Decodable {
            let len: Int
            let hex: String?
        }
        /// One text or a list of texts.
        struct Texts: Decodable {
            let all: [String]
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let list = try? container.decode([String].self) {
                    all = list
                } else {
                    all = [try container.decode(String.self)]
                }
            }
        }
    }

    /// A frame that this module reads, under the identifier that the peers use.
    struct Frame {
        let id: String
        let size: Int
        let content: ID3FrameContent

        /// Whether the frame has the same value for every field in the truth.
        func agrees(with theirs: Truth.MutagenFrame) -> Bool {
            let text = theirs.text?.all
            switch content {
            case .priv(let owner, let data):
                return Self.agree(owner, theirs.owner) && Self.agree(data, theirs.data)
            case .userText(let description, let values):
                return Self.agree(description, theirs.desc) && Self.agree(values, text)
            case .text(_, let values): return Self.agree(values, text)
            case .userURL(let description, let url):
                return Self.agree(description, theirs.desc) && Self.agree(url, theirs.url)
            case .comment(let language, let description, let value):
                return Self.agree(language, theirs.lang) && Self.agree(description, theirs.desc)
                    && Self.agree([value], text)
            case .object(_, _, let description, let data):
                return Self.agree(description, theirs.desc) && Self.agree(data, theirs.data)
            case .uniqueFileIdentifier(let owner, let identifier):
                return Self.agree(owner, theirs.owner) && Self.agree(identifier, theirs.data)
            case .other: return true
            }
        }

        func agrees(with theirs: Truth.TagLibFrame) -> Bool {
            switch content {
            case .priv(let owner, let data):
                return owner == theirs.owner && theirs.dataHex.map { $0 == Self.hex(data, of: $0) } ?? true
            case .text(let id, let values) where values.count == 1 && id != "TCON" && id != "TCO":
                // TagLib drops a text that is not UTF-8; this module keeps the readable part.
                if theirs.text == "", values[0].contains("\u{FFFD}") { return true }
                return theirs.text.map { Self.agree(values, [$0]) } ?? true
            case .comment(_, _, let text): return theirs.text.map { Self.agree([text], [$0]) } ?? true
            case .uniqueFileIdentifier(let owner, _): return theirs.owner.map { $0 == owner } ?? true
            default: return true
            }
        }

        private static func hex(_ data: [UInt8], of theirs: String) -> String {
            data.prefix(theirs.utf8.count / 2).map { String(format: "%02x", $0) }.joined()
        }

        /// mutagen writes a timestamp with a blank instead of the `T`; texts are listed up to 300 characters.
        private static func agree(_ ours: [String], _ theirs: [String]?) -> Bool {
            guard let theirs else { return true }
            guard ours.count == theirs.count else { return false }
            return zip(ours, theirs).allSatisfy { mine, other in
                if mine == other { return true }
                if other.unicodeScalars.count >= 40, mine.hasPrefix(other) { return true }
                let isTime = other.utf8.count == 19 && other.contains(":")
                return isTime && mine.replacingOccurrences(of: "T", with: " ") == other
            }
        }

        private static func agree(_ ours: String, _ theirs: String?) -> Bool {
            theirs.map { $0 == ours } ?? true
        }

        private static func agree(_ ours: [UInt8], _ theirs: Truth.Bytes?) -> Bool {
            guard let theirs else { return true }
            return ours.count == theirs.len && theirs.hex.map { hex(ours, of: $0) == $0 } ?? true
        }
    }
}
