package import NielsenID3
import TimedMedia

extension CheckID {
    /// `carriage.pmt-descriptors`.
    package static let pmtDescriptors = CheckID("carriage.pmt-descriptors")
}

/// `carriage.pmt-descriptors`: a program with timed ID3 declares it by both descriptors, without which Nielsen's own
/// tools see no tag.
///
/// A program that stays as it is declared is reported once, not with each segment.
struct PMTDescriptors: SegmentCheck {
    static let declaration = CheckDeclaration(
        .pmtDescriptors, worst: .fail,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The PMT declares timed ID3 with both metadata descriptors",
        title: "The PMT does not declare timed ID3",
        meaning: """
            A transport stream says in its PMT that it carries ID3: a metadata_pointer_descriptor (0x25) for the
            program and a metadata_descriptor (0x26) for the elementary stream, both with the format identifier
            `ID3 `. One of them is missing here. The tags are in the stream and were read all the same, but players may
            go by the descriptors, and Nielsen's own tools do: they see no tag, and nothing is counted.
            """,
        appearance: """
            The PMT lists a stream of type 0x15, and its program loop has no `25 0f ff ff 49 44 33 20 …`, or its
            stream loop no `26 0d ff ff 49 44 33 20 …`. Everything else is as it should be.
            """,
        cause: """
            A remultiplexer rebuilt the PMT and wrote the descriptors that it knows. FFmpeg's MPEG-TS muxer writes 0x26
            and no 0x25 (seen with libavformat 5.1.9), so `ffmpeg … -map 0 -c copy` to a transport stream after
            the inserter causes it. Splicers that replace the PMT at an advertisement do the same during the break.
            """,
        action: """
            Find the last hop whose input has the descriptors and whose output has not, with `dtvr check` on both sides.
            Have the step that writes the final segments declare timed ID3 metadata (an output setting in most
            encoders), or insert the tags after it.
            """)

    private var reported = ReportedDeclarations()

    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        for program in reading.facts.programs {
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
                Self.id, .fail, at: reading.place,
                "the PMT of program \(program.number) lacks \(missing.joined(separator: " and ")), with the "
                    + "identifier \"ID3 \": measuring devices find no tag without them")
        }
    }
}

/// The programs as they were declared last, so that each declaration is reported once.
struct ReportedDeclarations: Sendable {
    /// How many programs are remembered: more than a stream has, and few enough for a hostile one.
    private static let capacity = 256
    private var programs: [UInt16: CarriageFacts.Program] = [:]

    /// Whether a program is declared for the first time, or in another way than last.
    mutating func isNews(_ program: CarriageFacts.Program) -> Bool {
        if programs.count >= Self.capacity, programs[program.number] == nil { programs = [:] }
        return programs.updateValue(program, forKey: program.number) != program
    }
}
