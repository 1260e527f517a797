import HTTPTransfer
import NielsenID3
import StreamHealth
import TextForms

/// The channel file: a `[channel ID]` section for each channel, and `[defaults]` for common settings.
package struct ChannelFile: Sendable {
    /// The channels, in file order.
    package private(set) var channels: [ChannelSettings]

    /// The line of the section of each channel, by id.
    private var lines: [String: Int] = [:]

    /// The settings that a channel has by default.
    private let defaults: ChannelSettings

    /// An error in a file, with its line.
    package struct Fault: Error, Sendable, Hashable {
        /// The line number, from 1.
        package let line: Int
        /// A description of the error.
        package let message: String
    }

    /// Parses the text of a file.
    ///
    /// An unknown key is an error, so a misspelled one does not go unnoticed. `${NAME}` in the value of a header or of
    /// `proxy` stands for an environment variable.
    ///
    /// - Parameters:
    ///   - model: The settings that apply if neither the channel nor `[defaults]` sets them.
    ///   - environment: The environment variables.
    package init(
        parsing text: String, defaults model: ChannelSettings = ChannelSettings(id: "", url: ""),
        environment: [String: String] = [:]
    ) throws(Fault) {
        var faults: [Fault] = []
        self.init(text, defaults: model, environment, &faults)
        if let first = faults.first { throw first }
    }

    /// Returns all faults of a text in the order of their lines, including addresses of several channels.
    package static func faults(
        in text: String, defaults model: ChannelSettings, environment: [String: String]
    ) -> [Fault] {
        var faults: [Fault] = []
        let file = ChannelFile(text, defaults: model, environment, &faults)
        var ids: [String: String] = [:]
        for channel in file.channels {
            guard let other = ids.updateValue(channel.id, forKey: channel.url) else { continue }
            faults.append(
                Fault(
                    line: file.lines[channel.id] ?? 0,
                    message: "the channels '\(other)' and '\(channel.id)' have the same url"))
        }
        return faults.sorted { $0.line < $1.line }
    }

    /// Parses a text; a line with a fault is left out.
    private init(
        _ text: String, defaults model: ChannelSettings, _ environment: [String: String],
        _ faults: inout [Fault]
    ) {
        channels = []
        var defaults = model
        var sections: [ConfigurationText.Section] = []
        do throws(Fault) {
            let text = try Self.configuration(text)
            sections = text.sections
            if let entry = text.entries.first {
                throw Fault(line: entry.line, message: "'\(entry.key)' comes before the first section")
            }
        } catch {
            faults.append(error)
        }
        for section in sections where section.name == "defaults" {
            Self.apply(section.entries, to: &defaults, isDefault: true, environment, &faults)
        }
        self.defaults = defaults
        for section in sections where section.name != "defaults" {
            guard let channel = Self.channel(section, defaults: defaults, environment, &faults) else {
                continue
            }
            guard lines.updateValue(section.line, forKey: channel.id) == nil else {
                faults.append(
                    Fault(line: section.line, message: "\(ChannelSettingsError.duplicateID(channel.id))"))
                continue
            }
            channels.append(channel)
        }
    }

    /// Creates a channel list without a file.
    package init(channels: [ChannelSettings], defaults: ChannelSettings) {
        self.channels = channels
        self.defaults = defaults
    }

    /// Removes the channels whose ids satisfy a condition, such as those of other shards.
    package mutating func removeChannels(where isRemoved: (_ id: String) -> Bool) {
        channels.removeAll { isRemoved($0.id) }
    }

    /// Returns the settings of a channel that was added at run time.
    ///
    /// The channel inherits the defaults of the file, except the header fields and the client certificate. Those are
    /// only for the addresses in the file.
    func channel(_ added: ChannelChanges.Added) throws(Fault) -> ChannelSettings {
        var defaults = defaults
        defaults.headers = []
        defaults.connection.clientCertificateFile = nil
        let section = ConfigurationText.Section(
            name: "channel \(added.id)", line: 0,
            entries: added.settings.compactMap { setting in
                guard setting.count == 2 else { return nil }
                return ConfigurationText.Entry(key: setting[0], value: setting[1], line: 0)
            })
        var faults: [Fault] = []
        let channel = Self.channel(section, defaults: defaults, [:], &faults)
        if let first = faults.first { throw first }
        guard let channel else { throw Fault(line: 0, message: "the channel is invalid") }
        return channel
    }

    private static func configuration(_ text: String) throws(Fault) -> ConfigurationText {
        do throws(ConfigurationText.Fault) {
            return try ConfigurationText(parsing: text)
        } catch {
            throw Fault(line: error.line, message: error.message)
        }
    }

    /// Returns the channel of a section; nil if it has no valid id or no address.
    private static func channel(
        _ section: ConfigurationText.Section, defaults: ChannelSettings, _ environment: [String: String],
        _ faults: inout [Fault]
    ) -> ChannelSettings? {
        let fault = { (message: String) in Fault(line: section.line, message: message) }
        let words = section.name.split(separator: " ")
        guard words.count == 2, words[0] == "channel" else {
            faults.append(
                fault("unknown section [\(section.name)]; a section is [defaults] or [channel ID]"))
            return nil
        }
        let id = String(words[1])
        guard ChannelSettings.isID(id) else {
            faults.append(fault("\(ChannelSettingsError.invalidID(id))"))
            return nil
        }
        var channel = defaults
        channel.id = id
        channel.name = id
        apply(section.entries, to: &channel, isDefault: false, environment, &faults)
        guard channel.url.isEmpty else { return channel }
        // An invalid address has its own fault.
        if !section.entries.contains(where: { $0.key == Key.url.rawValue }) {
            faults.append(fault("the channel '\(id)' has no url"))
        }
        return nil
    }

    /// Applies the entries of a section; those with a fault are left out.
    private static func apply(
        _ entries: [ConfigurationText.Entry], to channel: inout ChannelSettings, isDefault: Bool,
        _ environment: [String: String], _ faults: inout [Fault]
    ) {
        do throws(Fault) {
            try requireOnce(entries)
        } catch {
            faults.append(error)
        }
        for entry in entries {
            do throws(Fault) {
                try apply(entry, to: &channel, isDefault: isDefault, environment)
            } catch {
                faults.append(error)
            }
        }
    }

    /// The keys other than the limits; `name`, `url` and `backup` are not allowed in `[defaults]`.
    private enum Key: String, CaseIterable {
        case name
        case url
        case backup
        case compareBackup = "compare-backup"
        case rendition
        case header
        case authorities = "ca-file"
        case clientCertificate = "client-cert"
        case proxy
        case quiet
        case expectTagsInAds = "expect-tags-in-ads"
        case mayEnd = "may-end"
        case ignore
        case accept

        var isOfOneChannel: Bool { [.name, .url, .backup].contains(self) }
    }

    /// The names of all keys of a channel, those of the limits last.
    static var keys: [String] { Key.allCases.map(\.rawValue) + limits.map(\.name) }

    private static var limits: [HealthLimit] { HealthLimit.all + HealthLimit.ofMonitorOnly }

    /// Rejects duplicate keys, except `header`.
    private static func requireOnce(_ entries: [ConfigurationText.Entry]) throws(Fault) {
        var keys: Set<String> = []
        for entry in entries where entry.key != Key.header.rawValue && !keys.insert(entry.key).inserted {
            throw Fault(line: entry.line, message: "duplicate key '\(entry.key)' in this section")
        }
    }

    private static func apply(
        _ entry: ConfigurationText.Entry, to channel: inout ChannelSettings, isDefault: Bool,
        _ environment: [String: String]
    ) throws(Fault) {
        let fault = { (message: String) in Fault(line: entry.line, message: "\(entry.key) \(message)") }
        if entry.value.isEmpty { throw fault("must not be empty") }
        guard let key = Key(rawValue: entry.key) else { return try applyLimit(entry, to: &channel) }
        if isDefault, key.isOfOneChannel { throw fault("is not allowed in [defaults]") }
        switch key {
        case .name: channel.name = entry.value
        case .url:
            guard isAddress(entry.value) else { throw fault("takes an http or https address") }
            channel.url = entry.value
        case .backup:
            guard isAddress(entry.value) else { throw fault("takes an http or https address") }
            channel.backup = entry.value
        case .compareBackup:
            guard let isOn = ToggleText.isOn(entry.value) else { throw fault("takes yes or no") }
            channel.comparesBackup = isOn
        case .rendition: channel.rendition = .init(entry.value)
        case .header: channel.headers.append(try header(entry, environment))
        case .authorities: channel.connection.authoritiesFile = try certificateFile(entry)
        case .clientCertificate:
            channel.connection.clientCertificateFile = try certificateFile(entry, withKey: true)
        case .proxy: channel.connection.proxy = try proxy(entry, environment)
        case .quiet:
            guard let hours = QuietHours(entry.value) else {
                throw fault("takes two times of day such as 02:00-05:30, not '\(entry.value)'")
            }
            channel.quiet = hours
        case .expectTagsInAds:
            guard let isOn = ToggleText.isOn(entry.value) else { throw fault("takes yes or no") }
            channel.expectsTagsInBreaks = isOn
        case .mayEnd:
            guard let isOn = ToggleText.isOn(entry.value) else { throw fault("takes yes or no") }
            channel.mayEnd = isOn
        case .ignore: channel.ignoredChecks = try checks(entry)
        case .accept: channel.acceptedChecks = try checks(entry)
        }
    }

    /// Whether a text is an http or https address without spaces or control characters.
    package static func isAddress(_ text: String) -> Bool {
        let lowered = text.lowercased()
        return (lowered.hasPrefix("http://") || lowered.hasPrefix("https://"))
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// Returns the checks that an entry lists.
    private static func checks(_ entry: ConfigurationText.Entry) throws(Fault) -> Set<CheckID> {
        let known = (CheckID.all + CheckID.ofMonitorOnly).map(\.rawValue)
        let names = entry.value.split { $0 == " " || $0 == "," }.map(String.init)
        for name in names where !known.contains(name) {
            throw Fault(
                line: entry.line,
                message: "\(entry.key) takes ids of checks; there is no check '\(name)'"
                    + Suggestion.text(for: name, among: known))
        }
        return Set(names.map { CheckID($0) })
    }

    private static func applyLimit(
        _ entry: ConfigurationText.Entry, to channel: inout ChannelSettings
    ) throws(Fault) {
        guard let limit = limits.first(where: { $0.name == entry.key }) else {
            throw Fault(
                line: entry.line,
                message: "unknown key '\(entry.key)'\(Suggestion.text(for: entry.key, among: keys))")
        }
        let isTime = limit.unit == "s"
        let number = limit.takesDecimals ? DecimalText.value(entry.value) : Int(entry.value).map(Double.init)
        guard let value = isTime ? DurationText.seconds(entry.value) : number, (0...1_000_000).contains(value)
        else {
            let expected =
                isTime ? "a time such as 12s or 15m" : limit.takesDecimals ? "a number" : "a whole number"
            throw Fault(
                line: entry.line, message: "\(entry.key) takes \(expected), not '\(entry.value)'")
        }
        channel.policy[limit] = value
    }

    private static func header(
        _ entry: ConfigurationText.Entry, _ environment: [String: String]
    ) throws(Fault) -> ChannelSettings.Header {
        guard let colon = entry.value.firstIndex(of: ":") else {
            throw Fault(line: entry.line, message: "header takes 'Name: value'")
        }
        let name = String(entry.value[..<colon])
        let isToken = name.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
        }
        guard !name.isEmpty, isToken else {
            throw Fault(
                line: entry.line, message: "header takes 'Name: value' with a name of letters and '-'")
        }
        let text = entry.value[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
        return .init(name: name, value: try replacingVariables(in: text, line: entry.line, environment))
    }

    static func replacingVariables(
        in text: Substring, line: Int, _ environment: [String: String]
    ) throws(Fault) -> String {
        var result = ""
        var rest = text
        while let dollar = rest.firstRange(of: "${") {
            result += rest[..<dollar.lowerBound]
            guard let end = rest[dollar.upperBound...].firstIndex(of: "}") else {
                throw Fault(line: line, message: "'${' without '}'")
            }
            let name = String(rest[dollar.upperBound..<end])
            guard let value = environment[name], !value.isEmpty else {
                throw Fault(line: line, message: "the variable \(name) is not set")
            }
            // A line break would start a second header field.
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw Fault(line: line, message: "the variable \(name) contains a control character")
            }
            result += value
            rest = rest[end...].dropFirst()
        }
        return result + rest
    }
}
