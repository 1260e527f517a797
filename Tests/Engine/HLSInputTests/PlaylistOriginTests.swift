import HTTPTransfer
import Testing

@testable import HLSInput

@Suite struct PlaylistOriginTests {
    @Test(arguments: AddressScope.allCases)
    func playlistOfTheNetwork_mayNamePrivateAddressesOnlyWhereItIsAtOne(scope: AddressScope) {
        let policy = PlaylistOrigin.network(scope).policyForReferences(allowsPrivateAddresses: false)
        #expect(policy == (scope == .global ? .publicOnly : .any))
    }

    @Test func playlist_ofAnOriginThatIsNotKnown_mayNameOnlyPublicAddresses() {
        #expect(PlaylistOrigin.network(nil).policyForReferences(allowsPrivateAddresses: false) == .publicOnly)
    }

    @Test func playlist_ofThisMachine_mayNameAll() {
        #expect(PlaylistOrigin.thisMachine.policyForReferences(allowsPrivateAddresses: false) == .any)
    }

    @Test func allowingPrivateAddresses_letsEveryPlaylistNameThem() {
        let origins =
            [.thisMachine, .network(nil)] + AddressScope.allCases.map { PlaylistOrigin.network($0) }
        for origin in origins { #expect(origin.policyForReferences(allowsPrivateAddresses: true) == .any) }
    }

    /// What the policy forbids is said, and the rest of the presentation goes on.
    @Test func segmentsUnderThePublicPolicy_atLoopback_areRefusedOneByOne() async throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let segments = ["a.ts", "b.ts"].map { (name: String) in
            Presentation.Segment(address: .network("http://127.0.0.1:9/\(name)"), name: name)
        }
        let presentation = Presentation(
            source: "s", renditions: [.init(uri: nil, segments: .init(segments), addressPolicy: .publicOnly)])
        var reader = presentation.readings(through: try ResourceFetcher(client: client)).makeAsyncIterator()
        for _ in segments {
            let reading = try #require(await reader.next())
            guard case .failed(.transfer(_, let reason, isRetriable: false)) = reading.outcome else {
                Issue.record("\(reading.outcome)")
                continue
            }
            #expect(reason.contains("not permitted"))
        }
        let end = await reader.next()
        #expect(end == nil)
    }
}
