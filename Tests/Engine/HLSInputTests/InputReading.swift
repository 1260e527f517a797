import HTTPTransfer
import ID3v2
import NielsenID3
import TagRecord

@testable import HLSInput

/// The complete result of an input: the output of `scan`, as values.
struct InputReading {
    var notes: [String] = []
    var readings: [SegmentReading] = []

    /// Reads an input from its first segment to its last.
    init(
        _ source: String, choice: RenditionChoice = .lowest, allowsPrivateAddresses: Bool = false,
        standardInput: Int32? = nil, keepsOtherTags: Bool = false, jobs: Int = 1,
        limits: InputLimits = InputLimits()
    ) async throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let fetcher = try ResourceFetcher(client: client, limits: limits, jobs: jobs)
        var resolver = InputResolver(
            fetcher: fetcher, choice: choice, allowsPrivateAddresses: allowsPrivateAddresses)
        if let standardInput { resolver.standardInput = standardInput }
        let presentation = try await resolver.resolve(source)
        notes = presentation.notes
        for await reading in presentation.readings(through: fetcher, keepsOtherTags: keepsOtherTags) {
            readings.append(reading)
        }
    }

    var tags: [TagOccurrence] { readings.flatMap(\.tags) }

    var owners: [String] { tags.map { String(decoding: $0.tag.ownerIdentifier, as: UTF8.self) } }

    /// The errors in the order of the segments, with their indices.
    var failures: [(index: Int, error: InputError)] {
        readings.enumerated().compactMap { index, reading in
            if case .failed(let error) = reading.outcome { (index, error) } else { nil }
        }
    }

    /// The indices of the segments that were read to their end.
    var readSegments: [Int] {
        readings.indices.filter { if case .read = readings[$0].outcome { true } else { false } }
    }
}
