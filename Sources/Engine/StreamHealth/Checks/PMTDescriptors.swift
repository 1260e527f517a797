package import NielsenID3
import ID3v2

extension CheckID {
    /// `carriage.pmt-descriptors`.
    package static let pmtDescriptors = CheckID("carriage.pmt-descriptors")
}

/// `carriage.pmt-descriptors`: a program with timed ID3 declares it with both descriptors.
///
/// Without them, Nielsen's own tools find no tags. An unchanged declaration is reported once, not with each segment.
struct PMTDescriptors: SegmentCheck {
    static let declaration = CheckDeclaration(
        .pmtDescriptors, worst: .fail,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The PMT declares timed ID3 with both metadata descriptors",
        title: "The PMT does not declare timed ID3",
        meaning: """
            A transport stream declares ID3 in its PMT with two descriptors: a metadata_pointer_descriptor (0x25) for
            the program and a metadata_descriptor (0x26) for the elementary stream, both with the format identifier `ID3
            `. At least one of them is missing. The tags are in the stream and were read anyway, but players may rely on
            the descriptors. Nielsen's own tools do: they find no tags, and nothing is counted.
            """,
        appearance: """
            The PMT lists a stream of type 0x15, but its program loop has no `25 0f ff ff 49 44 33 20 …`, or its stream
            loop no `26 0d ff ff 49 44 33 20 …`. Everything else is normal.
            """,
        cause: """
            A remultiplexer rebuilt the PMT with only the descriptors that it supports. FFmpeg's MPEG-TS muxer writes
            0x26 but not 0x25 (seen with libavformat 5.1.9), so `ffmpeg … -map 0 -c copy` to a transport stream after
            the inserter causes it. Splicers that replace the PMT for an advertisement have the same effect during the
            break.
            """,
        action: """
            Run `dtvr check` on both sides of each hop. Find the last hop with the descriptors in its input but not in
            its output. Configure the step that writes the final segments to declare timed ID3 metadata (an output
            setting in most encoders), or insert the tags after it.
            """)

    private var reported = ReportedDeclarations()

    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        guard content.isTransportStream else { return }
        for program in content.facts.programs {
            ledger.markRun(Self.id)
            guard reported.isNews(program) else { continue }
            var missing: [String] = []
            if !program.hasMetadataPointer {
                missing.append("the metadata_pointer_descriptor (0x25) in its program loop")
            }
            for stream in program.streams where !stream.hasMetadataDescriptor {
                missing.append("the metadata_descriptor (0x26) of PID \(stream.pid)")
            }
            guard !missing.isEmpty else { continue }
            ledger.report(
                Self.id, .fail, at: content.place,
                "the PMT of program \(program.number) lacks \(missing.joined(separator: " and ")), with the "
                    + "identifier \"ID3 \": measuring devices find no tags without them")
        }
    }
}

/// The latest declaration of each program, so that each declaration is reported once.
struct ReportedDeclarations: Sendable {
    /// The maximum number of programs to remember: more than a stream has, and few enough for a hostile stream.
    private static let capacity = 256
    private var programs: [UInt16: CarriageFacts.Program] = [:]

    /// Records the declaration and returns whether it is new or differs from the previous one.
    mutating func isNews(_ program: CarriageFacts.Program) -> Bool {
        if programs.count >= Self.capacity, programs[program.number] == nil { programs = [:] }
        return programs.updateValue(program, forKey: program.number) != program
    }
}
