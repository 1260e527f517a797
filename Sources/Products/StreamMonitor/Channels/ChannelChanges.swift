import TextForms

/// The changes made to a monitor's channels at run time, on top of the channel file.
struct ChannelChanges: Codable, Sendable, Hashable {
    /// A channel that was added, with the keys and values of the channel file.
    struct Added: Codable, Sendable, Hashable {
        let id: String
        /// The key-value pairs, in order.
        let settings: [[String]]
    }

    /// The maximum number of added channels, more than one monitor follows.
    static let maximumAddedCount = 4_096
    /// The maximum size of their settings in bytes: the saved file stays far below what is read at the next start.
    static let maximumAddedByteCount = 16 << 20

    /// The added channels, in order.
    var added: [Added] = []
    /// The ids of removed channels of the file.
    var removed: Set<String> = []
    /// The ids of paused channels.
    var paused: Set<String> = []
}

extension ChannelChanges {
    /// Whether another channel may be added.
    func hasRoom(for new: Added) -> Bool {
        let byteCount = added.reduce(new.byteCount) { $0 + $1.byteCount }
        return added.count < Self.maximumAddedCount && byteCount <= Self.maximumAddedByteCount
    }
}

extension ChannelChanges.Added {
    fileprivate var byteCount: Int { settings.joined().reduce(id.utf8.count) { $0 + $1.utf8.count } }

    /// Reads a channel from a JSON object: `id` and the keys of the channel file.
    ///
    /// The values are strings, numbers or Booleans; `header` may be a list of strings.
    init(json: [UInt8]) throws(ChannelChangeError) {
        var id: String?
        var settings: [[String]] = []
        var wrong: String?
        do throws(JSONReader.JSONError) {
            let bytes = json.span
            try JSONReader.members(of: bytes, in: 0..<bytes.count) { key, value, kind in
                let name = JSONReader.string(bytes, in: key)
                if name == "id", kind == .string {
                    id = JSONReader.string(bytes, in: value)
                } else if let texts = Self.texts(bytes, in: value, kind, ofList: name == "header") {
                    settings += texts.map { [name, $0] }
                } else {
                    wrong = name
                }
            }
        } catch {
            throw .invalid("the body is not a JSON object")
        }
        if let wrong { throw .invalid("\(wrong) has a value of the wrong type") }
        guard let id else { throw .invalid("the channel has no id") }
        guard ChannelSettings.isID(id) else {
            throw .invalid("an id has 1 to 64 letters, digits, '-' and '_'")
        }
        for setting in settings {
            if ChannelFile.keysOfFileOnly.contains(setting[0]) {
                throw .invalid("\(setting[0]) is allowed only in the channel file")
            }
            // A channel added over HTTP must not send environment variables to an arbitrary address.
            if setting[1].contains("${") {
                throw .invalid("\(setting[0]): variables are allowed only in the channel file")
            }
            guard setting.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
                throw .invalid("\(setting[0]) contains a control character")
            }
        }
        self.init(id: id, settings: settings)
    }

    /// Returns the values of a member, or nil if no setting has a value of that kind.
    private static func texts(
        _ bytes: Span<UInt8>, in value: Range<Int>, _ kind: JSONReader.Kind, ofList isList: Bool
    ) -> [String]? {
        switch kind {
        case .string: return [JSONReader.string(bytes, in: value)]
        case .number: return [String(decoding: value.map { bytes[$0] }, as: UTF8.self)]
        case .boolean: return [bytes[value.lowerBound] == UInt8(ascii: "t") ? "yes" : "no"]
        case .array where isList:
            var texts: [String] = []
            var areTexts = true
            do throws(JSONReader.JSONError) {
                try JSONReader.elements(of: bytes, in: value) { element, kind in
                    if kind == .string {
                        texts.append(JSONReader.string(bytes, in: element))
                    } else {
                        areTexts = false
                    }
                }
            } catch {
                return nil
            }
            return areTexts ? texts : nil
        case .array, .object, .null: return nil
        }
    }
}

/// The reason why a change of the channels was refused; the channels stay unchanged.
package enum ChannelChangeError: Error, Sendable, Hashable {
    /// No channel has this id.
    case unknown(id: String)
    /// A channel with this id already exists.
    case taken(id: String)
    /// Too many channels were added.
    case full
    /// The request body does not describe a channel, or the channel file has an error.
    case invalid(String)
    /// There is no channel file to reload.
    case noFile
    /// The change could not be saved for the next start.
    case unkept(reason: String)
}

extension ChannelChangeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let id): "there is no channel '\(id)'"
        case .taken(let id): "the channel '\(id)' already exists"
        case .full: "more than \(ChannelChanges.maximumAddedCount) channels or 16 MiB of settings were added"
        case .invalid(let message): message
        case .noFile: "there is no channel file to reload"
        case .unkept(let reason): "the change cannot be saved: \(reason)"
        }
    }
}
