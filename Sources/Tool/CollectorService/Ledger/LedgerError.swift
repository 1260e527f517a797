import TextForms

/// A failure to use a ledger.
package enum LedgerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server cannot be reached, is starting or stopping, or closed the connection.
    case unreachable(String)
    /// The server is connected and does not answer.
    case noAnswer
    /// The server refuses the user or the password.
    case notAuthenticated(String)
    /// The database has no ledger, or a damaged one.
    case noSchema
    /// The schema of the ledger is older than this program.
    case olderSchema(version: Int, supported: Int)
    /// The schema of the ledger is newer than this program.
    case newerSchema(version: Int, supported: Int)
    /// The disk of the server is full.
    case diskFull(String)
    /// The statement was cancelled, by its time limit, a lock or an administrator.
    case cancelled(String)
    /// Another transaction was in the way; a retry may succeed.
    case conflict(String)
    /// The role lacks a right.
    case notPermitted(String)
    /// The server only reads, such as a standby.
    case readOnly(String)
    /// The database refuses the data of a record.
    case invalidData(String)
    /// The database refuses too many rows of the batch, or finding them takes too long.
    case manyRefused
    /// All connections to the ledger are in use.
    case busy
    /// The clock of this machine is ahead of the database's by a number of seconds, which may be negative.
    case clocksDiffer(seconds: Int64)
    /// A prune would leave no record.
    case noRecordLeft(firstKeptDay: String)
    /// Any other error of the server.
    case failed(String)

    /// The name of a group of errors, which is the label `cause` in metrics and the code in answers.
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        case unreachable
        case authentication
        case schema
        case diskFull = "disk_full"
        case cancelled
        case conflict
        case permission
        case readOnly = "read_only"
        case data
        case manyRefused = "many_refused"
        case busy
        case other

        /// Whether a check of the ledger, which writes nothing, fails as long as batches fail.
        package var isSeenByChecks: Bool {
            switch self {
            case .unreachable, .authentication, .schema, .permission, .readOnly, .busy: true
            case .diskFull, .cancelled, .conflict, .data, .manyRefused, .other: false
            }
        }
    }

    /// The group of the error.
    package var cause: Cause {
        switch self {
        case .unreachable, .noAnswer: .unreachable
        case .notAuthenticated: .authentication
        case .noSchema, .olderSchema, .newerSchema: .schema
        case .diskFull: .diskFull
        case .cancelled: .cancelled
        case .conflict: .conflict
        case .notPermitted: .permission
        case .readOnly: .readOnly
        case .invalidData: .data
        case .manyRefused: .manyRefused
        case .busy: .busy
        case .clocksDiffer, .noRecordLeft, .failed: .other
        }
    }

    /// A sentence without data of the server, for senders and probes.
    package var summary: String {
        switch self {
        case .unreachable: "the ledger's database cannot be reached"
        case .noAnswer: "the ledger's database does not answer"
        case .notAuthenticated: "the ledger's database refuses the collector's login"
        case .noSchema: "the database has no ledger; run 'dtvr ledger init'"
        case .olderSchema(let version, let supported):
            "the ledger has schema \(version), older than \(supported); run 'dtvr ledger migrate'"
        case .newerSchema(let version, let supported):
            "the ledger has schema \(version), newer than \(supported), the newest that dtvr supports; upgrade dtvr"
        case .diskFull: "the disk of the ledger's database is full"
        case .cancelled: "the ledger's database cancelled the statement"
        case .conflict: "another transaction is in the way"
        case .notPermitted: "the collector's role lacks a right"
        case .readOnly: "the ledger's database is read-only"
        case .invalidData: "the ledger's database refuses the data"
        case .manyRefused: "the ledger's database refuses many records of the batch; send fewer at a time"
        case .busy: "all connections to the ledger are in use"
        case .clocksDiffer(let seconds):
            "the clock of this machine is \(Self.text(seconds: seconds)) the clock of the ledger's database; "
                + "set the clock that is wrong"
        case .noRecordLeft(let day):
            "no record is from \(day) or later, so none would remain; add --all to drop all records"
        case .failed: "the ledger's database reports an error"
        }
    }

    /// One line with the text of the server, for the log.
    package var description: String {
        switch self {
        case .unreachable(let detail), .notAuthenticated(let detail), .diskFull(let detail),
            .cancelled(let detail), .conflict(let detail), .notPermitted(let detail), .readOnly(let detail),
            .invalidData(let detail), .failed(let detail):
            "\(summary): \(detail)"
        case .noSchema, .olderSchema, .newerSchema, .manyRefused, .busy, .noAnswer, .clocksDiffer,
            .noRecordLeft:
            summary
        }
    }

    private static func text(seconds: Int64) -> String {
        let hours = seconds.magnitude / 3_600
        let length = hours < 48 ? DecimalText.count(hours, "hour") : "\(hours / 24) days"
        return "\(length) \(seconds < 0 ? "behind" : "ahead of")"
    }

    /// Converts the error of a statement.
    ///
    /// - Parameter state: The SQLSTATE, as in appendix A of PostgreSQL's manual.
    init(state: String, message: String) {
        switch (state, state.prefix(2)) {
        case ("57P01", _), ("57P02", _), ("57P03", _), (_, "08"): self = .unreachable(message)
        case (_, "28"): self = .notAuthenticated(message)
        case ("53100", _): self = .diskFull(message)
        case ("57014", _), ("55P03", _), ("25P03", _): self = .cancelled(message)
        case (_, "40"): self = .conflict(message)
        case ("42501", _): self = .notPermitted(message)
        case ("3F000", _), ("42P01", _), ("42883", _), ("42703", _): self = .noSchema
        case ("25006", _): self = .readOnly(message)
        // 54: a value exceeds a limit of the server, such as the size of an index entry.
        case (_, "22"), (_, "23"), (_, "54"): self = .invalidData(message)
        default: self = .failed("\(message) (\(state))")
        }
    }
}
