import Foundation
import StreamHealth
import TestSupport
import Testing
import TextForms

@testable import dtvr

/// The numbers of a command line, the environment and a configuration file at their extremes.
@Suite(.timeLimit(.minutes(30))) struct ExtremeSettingTests {
    /// Each text for each setting with a number: it is refused as a usage error, or its value is within the setting's
    /// range.
    @Test(arguments: CommandRegistry.declarations)
    func number_atEveryExtreme_isInRangeOrRefused(command: CommandDeclaration) throws {
        for setting in command.settings {
            for text in ExtremeNumbers.texts.flatMap({ [$0, $0 + "s", $0 + "d", $0 + "GiB", $0 + "k"] }) {
                guard let value = Self.value(of: setting, text, command) else { continue }
                switch setting.kind {
                case .duration(let range):
                    #expect(
                        DurationText.seconds(value).map(range.contains) == true, "\(setting.name) \(text)")
                case .byteCount(let range):
                    #expect(ByteCountText.bytes(value).map(range.contains) == true, "\(setting.name) \(text)")
                case .number(let range, _):
                    #expect(Int(value).map(range.contains) == true, "\(setting.name) \(text)")
                case .decimal(let range):
                    #expect(
                        DecimalText.value(value).map {
                            Double(range.lowerBound) <= $0 && $0 <= Double(range.upperBound)
                        } == true, "\(setting.name) \(text)")
                default: break
                }
            }
        }
    }

    /// Returns the value that a command line sets, or nil if it is refused.
    private static func value(of setting: Setting, _ text: String, _ command: CommandDeclaration) -> String? {
        do throws(UsageError) {
            let arguments = [command.name, "\(setting.flag)=\(text)"]
            let request = try Invocation.parse(arguments, environment: [:]) { (_) throws(UsageError) in nil }
            if case .perform(let call) = request { return call[setting] }
        } catch {
            // A usage error.
        }
        return nil
    }

    /// Every limit at its lowest and at its highest value, in a complete run.
    @Test(arguments: [0, 1_000_000]) func limits_atTheirExtremes_areAccepted(value: Int) async throws {
        let limits = HealthLimit.all.filter { !$0.isOfLiveInputOnly }.map { "--\($0.name)=\(value)" }
        for format in ["text", "html"] {
            let result = try await Tool.run(
                arguments: ["check", "--format", format] + limits + [Tool.demo + "/index.m3u8"])
            #expect([0, 1].contains(result.status), "\(result.errors.suffix(1_000))")
        }
    }

    /// The widths that a terminal or the user specifies.
    @Test(arguments: ["0", "1", "-1", "9223372036854775807", "9223372036854775808", "1e308", ""])
    func columns_atEveryExtreme_areUsedOrIgnored(columns: String) async throws {
        for call in [
            ["scan", Tool.demo + "/v360/seg00001.ts"], ["check", "--explain", "time.gap"], ["--help"],
        ] {
            let shown = try await PseudoTerminal.run(width: 80, call, environment: ["COLUMNS": columns])
            #expect(shown.status == 0 && shown.lines.count > 2, "\(call)")
        }
    }
}
