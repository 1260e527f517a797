import CollectorService
import HostSystem
import Reporting
import TextForms

/// `dtvr ledger report`: writes the tags of each channel and day.
struct LedgerReportAction {
    /// The settings of no other action.
    static let settings: [Setting] = [.from, .to, .channelOfReport, .timeZone, .format, .output]
    /// The maximum number of days of a report.
    private static let maximumDayCount = 366

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform(_ address: LedgerAddress) throws(UsageError) -> ExitStatus {
        let request = try request()
        let format = CoverageFormat(rawValue: context.format) ?? .html
        let report: CoverageReport?
        do throws(LedgerError) {
            let ledger = try LedgerReport(address) { Interruption.shared.isRequested }
            report = try ledger.knows(timeZone: request.timeZone) ? try ledger.read(request) : nil
        } catch {
            if Interruption.shared.isRequested { return .interrupted }
            context.console.note("\(error)")
            return .store
        }
        guard let report else {
            throw context.usageError("--time-zone: the database does not know '\(request.timeZone)'")
        }
        let missing = request.channels.filter { id in !report.channels.contains { $0.id == id } }
        for id in missing {
            context.console.note(
                "\(PrintableText.of(id)): no records in these days, nor in the 31 days before")
        }
        if report.channels.isEmpty, missing.isEmpty {
            context.console.note("no channel has records in these days, nor in the 31 days before")
        }
        var output = ResultOutput(context)
        guard output.isUsable else { return .output }
        let document = format.document(
            of: report, producer: "dtvr \(DTVR.version)", made: SystemClock().unixMilliseconds)
        if format == .csv { output.write(csv: document) } else { output.write(document) }
        return output.finish(missing.isEmpty ? .done : .noInput)
    }

    private func request() throws(UsageError) -> LedgerReport.Request {
        let today = CivilDate.split(unixMilliseconds: SystemClock().unixMilliseconds).daysSince1970
        let (from, to) = (try day(.from), try day(.to))
        let last = to ?? max(today - 1, from ?? .min)
        let first = from ?? last - 6
        guard first <= last else { throw context.usageError("--from is after --to") }
        guard last - first < Self.maximumDayCount else {
            throw context.usageError("a report has at most \(Self.maximumDayCount) days")
        }
        let days = [first, last].map { CivilDate(daysSince1970: $0).text }
        var request = LedgerReport.Request(days: days[0]...days[1])
        request.timeZone = context.invocation[.timeZone] ?? "UTC"
        request.channels = (context.invocation[.channel] ?? "").split(separator: ",").map {
            String($0.drop { $0 == " " })
        }
        return request
    }

    /// Returns the day of a setting, counted from 1970; nil without one.
    private func day(_ setting: Setting) throws(UsageError) -> Int64? {
        guard let text = context.invocation[setting] else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard parts.map(\.utf8.count) == [4, 2, 2], numbers.count == 3,
            let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]), date.year >= 1970
        else { throw context.usageError("\(setting.flag) takes a day such as 2026-11-20, not '\(text)'") }
        return date.daysSince1970
    }
}

extension Setting {
    static let from = Setting(
        "from", .text("DAY"),
        help: "report: the first day, such as 2026-11-20; by default six days before --to")
    static let to = Setting("to", .text("DAY"), help: "report: the last day; by default yesterday")
    static let channelOfReport = channel.adapted {
        $0.help = "report: the channel, or several ids separated by commas; by default all"
    }
    static let timeZone = Setting(
        "time-zone", .text("NAME"), default: "UTC",
        help: "report: the time zone of the days, such as Europe/Oslo")
}
