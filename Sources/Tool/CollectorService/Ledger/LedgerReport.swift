package import Reporting
import TextForms

/// Reads the tags of live channels by day from a ledger, which every member of dtvr_read may do.
///
/// The database computes all numbers in one statement, from the table `channel_times`.
package struct LedgerReport {
    /// The subject of a report.
    package struct Request: Sendable, Hashable {
        /// The first and the last day, such as `2026-11-20`.
        package var days: ClosedRange<String>
        /// The name of the time zone of the days.
        package var timeZone = "UTC"
        /// The ids of the channels; empty for all.
        package var channels: [String] = []

        /// Creates a request for all channels.
        package init(days: ClosedRange<String>) { self.days = days }
    }

    private let connection: PostgresConnection

    /// Connects to a ledger.
    ///
    /// - Parameter isInterrupted: Whether to end the wait for the database with an error.
    package init(
        _ address: LedgerAddress, isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) throws(LedgerError) {
        var limits = PostgresConnection.Limits()
        limits.isInterrupted = isInterrupted
        connection = try PostgresConnection(address, limits: limits)
        try connection.removeTimeLimit()
        try LedgerSchema.require(version: LedgerSchema.version(of: connection))
        // The statement sorts about 100 bytes for each hour of a channel; compiling it would take longer than it saves.
        try connection.run("SELECT set_config('work_mem', '128MB', false), set_config('jit', 'off', false)")
    }

    /// Returns whether the database knows a time zone.
    package func knows(timeZone name: String) throws(LedgerError) -> Bool {
        try !connection.run("SELECT FROM pg_timezone_names WHERE name = $1", [name]).values.isEmpty
    }

    /// Reads a report; a channel without a record in its days and the 31 days before is not listed.
    package func read(_ request: Request) throws(LedgerError) -> CoverageReport {
        let days = request.days
        let channels = request.channels.isEmpty ? nil : Self.array(request.channels)
        let rows = try connection.run(
            Self.statement, [days.lowerBound, days.upperBound, request.timeZone, channels]
        ).values
        var found: [CoverageReport.Channel] = []
        for row in rows where row.count == 11 + Self.states.count {
            let id = row[0] ?? ""
            if found.last?.id != id { found.append(.init(id: id, name: row[1], days: [])) }
            found[found.count - 1].days.append(Self.day(of: row))
        }
        let offsets = try connection.run(
            Self.offsets, [days.lowerBound, days.upperBound, request.timeZone]
        ).values.compactMap { row -> CoverageReport.Offset? in
            let numbers = row.compactMap { $0.flatMap { Int64($0) } }
            return numbers.count == 2 ? .init(start: numbers[0], seconds: numbers[1]) : nil
        }
        return CoverageReport(
            days: days, timeZone: request.timeZone, offsets: offsets,
            channels: found)
    }

    private static func array(_ texts: [String]) -> String {
        let quoted = texts.map {
            "\"" + $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return "{" + quoted.joined(separator: ",") + "}"
    }

    private static func day(of row: [String?]) -> CoverageReport.Day {
        let numbers = row[3..<10].map { $0.flatMap { Int64($0) } ?? 0 }
        var times: [CoverageReport.State: [CoverageReport.Span]] = [:]
        for (index, state) in states.enumerated() { times[state.name] = spans(row[11 + index] ?? "") }
        let counted = spans(row[10] ?? "").first ?? numbers[0]..<numbers[0]
        return CoverageReport.Day(
            date: row[2] ?? "", bounds: numbers[0]..<max(numbers[0], numbers[1]), counted: counted,
            expected: numbers[2], times: times, tagCount: Int(numbers[3]), lateCount: Int(numbers[4]),
            copyCount: Int(numbers[5]), monitorCount: Int(numbers[6]))
    }

    /// Reads ranges such as `1000-2000 3000-4000`.
    private static func spans(_ text: String) -> [CoverageReport.Span] {
        text.split(separator: " ").compactMap { part in
            let ends = part.split(separator: "-").compactMap { Int64($0) }
            return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
        }
    }

    // MARK: SQL

    /// The states with the expressions of their times, in the order of the columns.
    private static let states: [(name: CoverageReport.State, times: String)] = [
        (.gap, "gaps"), (.advertisement, "breaks * span"), (.quiet, "quiet * span"),
        (.unreachable, "unreachable * span"), (.silent, "silent * span"), (.backup, "backup * span"),
        (.unknown, "span - watched"),
    ]

    private static func text(_ times: String) -> String {
        let ends = ["lower", "upper"].map { "floor(1000 * extract(epoch FROM \($0)(part)))::bigint" }
        return "(SELECT string_agg(\(ends[0]) || '-' || \(ends[1]), ' ') FROM unnest(\(times)) part)"
    }

    /// The changes of a time zone's offset, and its first one.
    private static let offsets = """
        SELECT floor(1000 * extract(epoch FROM time))::bigint, seconds FROM (
            SELECT time, seconds, lag(seconds) OVER (ORDER BY time) AS previous FROM (
                SELECT time, extract(epoch FROM time AT TIME ZONE $3 - time AT TIME ZONE 'UTC')::bigint AS seconds
                FROM generate_series($1::timestamptz - interval '1 day', $2::timestamptz + interval '2 days',
                                     interval '15 minutes') time
            ) quarters
        ) changes WHERE previous IS DISTINCT FROM seconds ORDER BY time
        """

    /// The days of each channel.
    ///
    /// A tag lasts 9 s longer in the table, and a piece of 9 s without a tag is not a gap. A break excuses 10 s before
    /// and after it, because a tag covers ten seconds that are not part of a break. The last five minutes before the
    /// report do not count: their tags may be on their way.
    private static let statement = """
        WITH days AS MATERIALIZED (
            SELECT local::date AS day, local AT TIME ZONE $3 AS begins,
                   (local + interval '1 day') AT TIME ZONE $3 AS ends,
                   least((local + interval '1 day') AT TIME ZONE $3, now() - interval '5 minutes') AS counted_end
            FROM generate_series($1::timestamp, $2::timestamp, interval '1 day') local
            WHERE local AT TIME ZONE $3 < now() - interval '5 minutes'
        ), parts AS MATERIALIZED (
            SELECT * FROM dtvr.channel_times
            WHERE day BETWEEN $1::date - 31 AND $2::date + 1 AND ($4::text[] IS NULL OR channel = ANY ($4::text[]))
        ), channels AS MATERIALIZED (
            SELECT channel, min(lower(times)) AS begins, max(name) AS name FROM parts GROUP BY channel
        ), found AS (
            SELECT days.day, parts.channel,
                   range_agg(times) FILTER (WHERE state = 'data') AS data,
                   range_agg(times) FILTER (WHERE state = 'watched') AS watched,
                   range_agg(times) FILTER (WHERE state = 'break') AS breaks,
                   range_agg(times) FILTER (WHERE state = 'quiet') AS quiet,
                   range_agg(times) FILTER (WHERE state = 'unreachable') AS unreachable,
                   range_agg(times) FILTER (WHERE state = 'silent') AS silent,
                   range_agg(times) FILTER (WHERE state = 'backup') AS backup,
                   count(DISTINCT monitor) FILTER (WHERE times && tstzrange(days.begins, days.ends)) AS monitors,
                   sum(tags) FILTER (WHERE slot >= days.begins AND slot < days.ends) AS tags,
                   sum(late) FILTER (WHERE slot >= days.begins AND slot < days.ends) AS late,
                   sum(copies) FILTER (WHERE slot >= days.begins AND slot < days.ends) AS copies
            FROM parts
            CROSS JOIN (VALUES (-1), (0), (1)) shift (days)
            JOIN days ON days.day = parts.day + shift.days
            WHERE times && tstzrange(days.begins - interval '1 minute', days.ends + interval '1 minute')
                OR (times IS NULL AND slot >= days.begins AND slot < days.ends)
            GROUP BY days.day, parts.channel
        ), spans AS (
            SELECT channels.channel, channels.name, days.day, days.begins, days.ends,
                   tstzmultirange(tstzrange(greatest(days.begins, channels.begins), days.counted_end)) AS span,
                   coalesce(data, '{}') AS data, coalesce(watched, '{}') AS watched,
                   coalesce(breaks, '{}') AS breaks, coalesce(quiet, '{}') AS quiet,
                   coalesce(unreachable, '{}') AS unreachable, coalesce(silent, '{}') AS silent,
                   coalesce(backup, '{}') AS backup, coalesce(monitors, 0) AS monitors, coalesce(tags, 0) AS tags,
                   coalesce(late, 0) AS late, coalesce(copies, 0) AS copies
            FROM channels
            JOIN days ON channels.begins < days.counted_end
            LEFT JOIN found ON found.channel = channels.channel AND found.day = days.day
        )
        SELECT channel, name, day, floor(1000 * extract(epoch FROM begins))::bigint,
               floor(1000 * extract(epoch FROM ends))::bigint,
               (SELECT coalesce(sum(floor(1000 * extract(epoch FROM upper(part) - lower(part)))), 0)::bigint
                FROM unnest(expected) part),
               tags, late, copies, monitors, \(text("span")),
               \(states.map { text($0.times) }.joined(separator: ",\n       "))
        FROM spans
        CROSS JOIN LATERAL (
            SELECT span - quiet - coalesce(
                (SELECT range_agg(tstzrange(lower(part) - interval '10 seconds', upper(part) + interval '10 seconds'))
                 FROM unnest(breaks) part), '{}') AS expected
        ) expectation
        CROSS JOIN LATERAL (
            SELECT coalesce(range_agg(gap) FILTER (WHERE upper(gap) - lower(gap) > interval '9 seconds'), '{}') AS gaps
            FROM unnest(expected - coalesce(
                (SELECT range_agg(tstzrange(lower(run), upper(run) - interval '9 seconds')) FROM unnest(data) run),
                '{}')) gap
        ) missing
        ORDER BY channel, day
        """
}
