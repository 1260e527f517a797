import CollectorService
import Testing

@Suite struct LedgerAddressTests {
    @Test(arguments: [
        "postgres://u:right@db/dtvr", "postgresql://u@db/dtvr?password=right",
        "postgres://u@db/dtvr?sslpassword=right", "postgres://:right@db",
    ])
    func address_withAPassword_isRefused(text: String) {
        #expect(throws: LedgerAddress.Defect.password) { try LedgerAddress(text) }
    }

    @Test(arguments: [
        "", "db", "host=db password=right", "https://db/dtvr", "postgres://u:right@[::1/dtvr",
        "postgres://u@db/dtvr?nonsense=1", "postgres://u@db/dtvr?host=%zz", "postgres://db/\0",
    ])
    func address_thatIsMalformed_isRefused(text: String) {
        #expect(throws: LedgerAddress.Defect.malformed) { try LedgerAddress(text) }
    }

    @Test func refusal_neverContainsTheAddress() {
        for defect in [LedgerAddress.Defect.password, .malformed] {
            #expect(!defect.description.contains("right"))
        }
    }

    @Test(arguments: [
        "postgres://collector@db.example.com/dtvr", "postgresql:///dtvr?host=/run/postgresql",
        "postgres://?service=dtvr",
        "postgres://u@a,b:5433/dtvr?sslmode=verify-full&target_session_attrs=read-write",
    ])
    func address_inLibpqForm_isAccepted(text: String) throws {
        _ = try LedgerAddress(text)
    }
}
