import TimedMedia

/// `carriage.pmt-descriptors`: a programme with timed ID3 declares it by both descriptors, without which Nielsen's own
/// tools see no tag.
///
/// A programme that stays as it is declared is reported once, not with each segment.
struct ProgramMapDescriptorsCheck: SegmentCheck {
    static let id = CheckID.pmtDescriptors
    static let absence = "No transport stream with timed ID3 was read."

    private var reported = ReportedDeclarations()

    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        for program in reading.facts.programs {
            ledger.look(Self.id)
            guard reported.isNews(program) else { continue }
            var missing: [String] = []
            if !program.hasMetadataPointer {
                missing.append("the metadata_pointer_descriptor (0x25) in its programme loop")
            }
            for stream in program.streams where !stream.hasMetadataDescriptor {
                missing.append("the metadata_descriptor (0x26) of PID \(stream.pid)")
            }
            guard !missing.isEmpty else { continue }
            ledger.report(
                Self.id, .fail, at: reading.place,
                "the PMT of programme \(program.number) lacks \(missing.joined(separator: " and ")), with the "
                    + "identifier \"ID3 \": measuring devices find no tag without them")
        }
    }
}

/// The programmes as they were declared last, so that each declaration is reported once.
struct ReportedDeclarations: Sendable {
    /// How many programmes are remembered: more than a stream has, and few enough for a hostile one.
    private static let capacity = 256
    private var programs: [UInt16: CarriageFacts.Program] = [:]

    /// Whether a programme is declared for the first time, or in another way than last.
    mutating func isNews(_ program: CarriageFacts.Program) -> Bool {
        if programs.count >= Self.capacity, programs[program.number] == nil { programs = [:] }
        return programs.updateValue(program, forKey: program.number) != program
    }
}
