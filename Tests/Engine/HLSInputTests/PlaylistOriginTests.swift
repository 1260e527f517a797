import HTTPTransfer
import TestSupport
import Testing

@testable import HLSInput

@Suite(.timeLimit(.minutes(30))) struct PlaylistOriginTests {
    @Test(arguments: AddressScope.allCases)
    func networkPlaylist_mayReferencePrivateAddressesOnlyFromAPrivateAddress(scope: AddressScope) {
        let policy = PlaylistOrigin.network(scope).policyForReferences(allowsPrivateAddresses: false)
        #expect(policy == (scope == .global ? .publicOnly : .any))
    }

    @Test func playlist_ofUnknownOrigin_mayReferenceOnlyPublicAddresses() {
        #expect(PlaylistOrigin.network(nil).policyForReferences(allowsPrivateAddresses: false) == .publicOnly)
    }

    @Test func localPlaylist_mayReferenceAnyAddress() {
        #expect(PlaylistOrigin.thisMachine.policyForReferences(allowsPrivateAddresses: false) == .any)
    }

    @Test func allowingPrivateAddresses_permitsThemForEveryOrigin() {
        let origins =
            [.thisMachine, .network(nil)] + AddressScope.allCases.map { PlaylistOrigin.network($0) }
        for origin in origins { #expect(origin.policyForReferences(allowsPrivateAddresses: true) == .any) }
    }

    /// The policy of a segment also applies to its key and its initialization segment.
    @Test(arguments: [true, false])
    func keysAndMaps_followTheAddressPolicyOfTheirSegment(allowsPrivateAddresses: Bool) async throws {
        let server = try LoopbackServer { _ in [response("404 Not Found")] }
        defer { server.stop() }
        let policy = PlaylistOrigin.network(.global).policyForReferences(
            allowsPrivateAddresses: allowsPrivateAddresses)
        let address = InputAddress.network(server.base + "/beside")
        let encryption = Presentation.Encryption(
            method: "AES-128", keyAddress: address, initializationVector: [UInt8](repeating: 0, count: 16))
        var segments = (0..<3).map { _ in
            Presentation.Segment(address: .path(Project.demo + "/audio/seg00000.ts"), name: "seg00000.ts")
        }
        segments[0].encryption = encryption
        segments[1].initialization = .init(
            name: "init.mp4", address: address, byteRange: nil, encryption: nil)
        segments[2].initialization = .init(
            name: "init.mp4", address: .path(Project.demo + "/audio/seg00001.ts"), byteRange: nil,
            encryption: encryption)
        for segment in segments {
            let before = server.connectionCount
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
            let presentation = Presentation(
                source: "s", renditions: [.init(uri: nil, segments: .init([segment]), addressPolicy: policy)])
            var reader = presentation.readings(through: try ResourceFetcher(client: client))
                .makeAsyncIterator()
            let reading = try #require(await reader.next())
            guard case .failed(let error) = reading.outcome else {
                Issue.record("\(reading.outcome)")
                continue
            }
            #expect(error.message.contains(allowsPrivateAddresses ? "404" : "not permitted"), "\(error)")
            #expect(server.connectionCount - before == (allowsPrivateAddresses ? 1 : 0))
        }
    }

    /// Each forbidden segment is reported, and the rest of the presentation is read.
    @Test func loopbackSegments_underThePublicPolicy_eachFail() async throws {
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
