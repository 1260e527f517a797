import CDTVRPostgres

/// The address of a ledger: a PostgreSQL connection URI without a password.
package struct LedgerAddress: Sendable, Hashable {
    /// A reason to refuse an address.
    package enum Defect: Error, Sendable, Hashable, CustomStringConvertible {
        /// The text is not a connection URI.
        case malformed
        /// libpq, which reads the URI, is not installed.
        case missingLibrary
        /// The URI contains a password, which `ps` would show.
        case password

        /// A sentence without any part of the address.
        package var description: String {
            switch self {
            case .malformed:
                "is not a PostgreSQL URI such as postgres://collector@db.example.com/dtvr"
            case .missingLibrary: "needs the library libpq, which is not installed"
            case .password:
                "must not contain a password; use PGPASSFILE, a service file or PGPASSWORD"
            }
        }
    }

    /// The connection URI.
    let uri: String

    /// Parses a URI.
    package init(_ text: String) throws(Defect) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.contains("\0") else {
            throw .malformed
        }
        guard unsafe dtvr_pq_missing() == nil else { throw .missingLibrary }
        // libpq returns an allocated array, which ends with an option without a keyword. Its error text may contain
        // parts of a password, so it is not requested.
        guard let options = unsafe dtvr_PQconninfoParse(text, nil) else { throw .malformed }
        defer { unsafe dtvr_PQconninfoFree(options) }
        var index = 0
        while let keyword = unsafe options[index].keyword {
            let name = unsafe String(cString: keyword)
            if ["password", "sslpassword"].contains(name), unsafe options[index].val != nil {
                throw .password
            }
            index += 1
        }
        uri = text
    }
}
