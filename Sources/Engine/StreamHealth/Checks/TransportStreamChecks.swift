import ID3v2
package import NielsenID3

extension CheckID {
    /// `carriage.pmt-descriptors`.
    package static let pmtDescriptors = CheckID("carriage.pmt-descriptors")
}

/// `carriage.pmt-descriptors`: a program with timed ID3 declares it with both descriptors.
///
/// Without them, Nielsen's own tools find no tags. An unchanged declaration is reported once, not with each segment.
struct PMTDescriptors: HealthCheck {
    static let declaration = CheckDeclaration(
        .pmtDescriptors, on: [.segment], worst: .fail,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The PMT declares timed ID3 with both metadata descriptors",
        urgency: "in the morning; now if it began tonight, because a remultiplexer was changed",
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

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segment(let content) = event, content.isTransportStream else { return }
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

extension CheckID {
    /// `carriage.stream-type`.
    package static let streamType = CheckID("carriage.stream-type")
}

/// `carriage.stream-type`: timed ID3 is carried in a stream of type 0x15, in PES packets with stream_id 0xBD.
struct StreamType: HealthCheck {
    static let declaration = CheckDeclaration(
        .streamType, on: [.segment], worst: .fail,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The ID3 stream is of type 0x15 with PES stream_id 0xBD",
        title: "The ID3 stream has the wrong type or stream id",
        meaning: """
            Timed ID3 is an elementary stream of type 0x15 (metadata in PES packets) whose PES packets have the
            stream_id 0xBD (private_stream_1). A player that selects streams by type skips this one and does not report
            its tags.
            """,
        appearance: """
            The PMT declares a different type for the PID of the tags, often 0x06 (private data). Or the PES packets
            begin with `00 00 01` and a byte other than `bd`, such as `fc` (metadata stream) or `bf`.
            """,
        cause: """
            A multiplexer without support for timed ID3 treats the stream as private data: a generic "data PID" or "pass
            this PID through" setting keeps the packets but writes the type that it uses for all data. A stream_id of
            0xFC comes from tools that follow the general rule for metadata streams in MPEG-2 systems, not Apple's rule
            for HLS.
            """,
        action: """
            Set the PID in the output to timed metadata (ID3, type 0x15), not to private data. If the tool has no such
            setting, multiplex the stream with one that does.
            """)

    /// Metadata carried in PES packets (ISO/IEC 13818-1, table 2-34).
    private static let streamType: UInt8 = 0x15
    /// private_stream_1 (ISO/IEC 13818-1, table 2-22).
    private static let streamID: UInt8 = 0xBD

    private var reported = ReportedDeclarations()

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segment(let content) = event, content.isTransportStream else { return }
        for program in content.facts.programs where !program.streams.isEmpty {
            ledger.markRun(Self.id)
            guard reported.isNews(program) else { continue }
            for stream in program.streams where stream.streamType != Self.streamType {
                ledger.report(
                    Self.id, .fail, at: content.place,
                    "the PMT declares PID \(stream.pid) with stream type \(Self.hex(stream.streamType)): "
                        + "timed ID3 has \(Self.hex(Self.streamType))")
            }
        }
        for tag in content.tags {
            guard case .transportStream(let pid) = tag.occurrence.carriage,
                let transport = tag.occurrence.transport
            else { continue }
            let streamID = transport.streamID
            ledger.markRun(Self.id)
            if transport.isDeclared == false {
                ledger.report(
                    Self.id, .fail, at: tag.place,
                    "the PMT does not declare PID \(pid), which carries the tag, as timed ID3 (stream type "
                        + "\(Self.hex(Self.streamType))): players skip it")
            }
            guard streamID != Self.streamID else { continue }
            ledger.report(
                Self.id, .fail, at: tag.place,
                "the PES packet on PID \(pid) has stream_id \(Self.hex(streamID)): timed ID3 has "
                    + Self.hex(Self.streamID))
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.count < 2 ? "0" : "") + digits
    }
}

extension CheckID {
    /// `carriage.pts-missing`.
    package static let ptsMissing = CheckID("carriage.pts-missing")
}

/// `carriage.pts-missing`: each metadata PES packet in which a tag begins has a PTS.
struct PTSMissing: HealthCheck {
    static let declaration = CheckDeclaration(
        .ptsMissing, on: [.segment], worst: .fail,
        notRun: "No metadata PES packet was read.",
        expectation: "Every PES packet in which a tag begins has a PTS",
        title: "A tag has no presentation time",
        meaning: """
            A metadata PES packet in which a tag begins has no PTS. A player cannot determine when the tag is due: it
            drops the tag, or delivers it at once, and then the credit goes to the wrong moment or is lost.
            """,
        appearance: """
            The PTS_DTS_flags in the PES header are 00. `dtvr scan` prints the tag without a time.
            """,
        cause: """
            An inserter or multiplexer that sends metadata as asynchronous data. FFmpeg writes such packets if its input
            packet has no timestamp (AV_NOPTS_VALUE), for example after a bitstream filter or from a custom source that
            sets none.
            """,
        action: """
            Configure the inserter to give every tag the PTS of the audio that it last heard. The PTS must be on the
            clock of the multiplex and must be restamped together with audio and video.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segment(let content) = event, content.isTransportStream else { return }
        var missing = content.facts.missingPTSCount
        if content.facts.metadataPESCount > 0 || missing > 0 { ledger.markRun(Self.id) }
        for tag in content.tags {
            guard case .transportStream(let pid) = tag.occurrence.carriage else { continue }
            ledger.markRun(Self.id)
            guard tag.occurrence.time == nil else { continue }
            missing -= 1
            ledger.report(
                Self.id, .fail, at: tag.place,
                "the PES packet on PID \(pid) in which the tag begins has no PTS: players cannot tell when it is due"
            )
        }
        // The rest are packets of other owners' tags or of repeats.
        guard missing > 0 else { return }
        ledger.report(
            Self.id, .fail, at: content.place,
            "\(missing) metadata PES packet\(missing == 1 ? "" : "s") in which another tag begins "
                + "\(missing == 1 ? "has" : "have") no PTS")
        ledger.count(Self.id, .fail, violations: missing - 1)
    }
}

/// `carriage.pes-incomplete`: a PES packet does not end before its tag does, unless another one continues it.
struct PESIncomplete: HealthCheck {
    static let declaration = CheckDeclaration(
        .pesIncomplete, on: [.segment, .tag], worst: .fail,
        notRun: "No metadata PES packet was read.",
        expectation: "Every PES packet contains its whole tag",
        urgency: "now if every tag has it",
        title: "A tag is truncated",
        meaning: """
            The PES packet ended before its tag did, and no other packet continues it. The partial tag is reported but
            not decoded: it is lost for every viewer.
            """,
        appearance: """
            The ID3 header declares more bytes than arrived. A Nielsen tag has 271 bytes in two transport packets;
            usually the second is missing, often at the end of a segment.
            """,
        cause: """
            A segmenter started a new segment between the two packets of the tag and dropped the rest; a transport
            packet was lost (then `carriage.continuity` warns too, mostly over UDP or with a full buffer); or the
            PES_packet_length is smaller than the tag.
            """,
        action: """
            If it is always at the end of a segment, the segmenter must keep the packets of one PES packet together. If
            it happens at random, look for packet loss: UDP counters, continuity errors on audio and video, and rate
            limits of the multiplexer.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        switch event {
        case .tag(let tag): ledger.report(.complete, of: tag, Self.detail(of: tag.occurrence))
        case .segment(let content): check(content, into: &ledger)
        default: break
        }
    }

    /// Reports the truncated packets in which no Nielsen tag begins.
    private func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        let incompleteTags = content.tags.count { $0.occurrence.status(of: .complete) == .fail }
        let incomplete = content.facts.truncatedPESCount - incompleteTags
        if content.isTransportStream, content.facts.metadataPESCount > 0 { ledger.markRun(Self.id) }
        guard incomplete > 0 else { return }
        ledger.report(
            Self.id, .fail, at: content.place,
            "\(incomplete) PES packet\(incomplete == 1 ? "" : "s") of timed ID3 "
                + "\(incomplete == 1 ? "ends" : "end") before the tag does")
        ledger.count(Self.id, .fail, violations: incomplete - 1)
    }

    private static func detail(of tag: TagOccurrence) -> String {
        guard case .transportStream(let pid) = tag.carriage else {
            return "the container ends before the tag does"
        }
        return "the PES packets on PID \(pid) end before the tag does, and no packet continues it: "
            + "a packet was lost or the tag was truncated; it cannot be counted"
    }
}

extension CheckID {
    /// `carriage.packets-per-tag`.
    package static let packetsPerTag = CheckID("carriage.packets-per-tag")
}

/// `carriage.packets-per-tag`: a Nielsen tag fills exactly two consecutive transport packets of its PID.
struct PacketsPerTag: HealthCheck {
    static let declaration = CheckDeclaration(
        .packetsPerTag, on: [.arrival], worst: .warn,
        notRun: "No complete Nielsen tag arrived in transport packets.",
        expectation: "A Nielsen tag fills exactly two consecutive transport packets",
        title: "A tag does not fill exactly two transport packets",
        meaning: """
            A Nielsen tag is 271 bytes long and, with its PES header, fills exactly two consecutive transport packets of
            the PID. This tag is spread over more packets, or shares them. Most players read it; simple extractors that
            expect two packets do not.
            """,
        appearance: """
            One tag over several PES packets, several tags in one PES packet, three or more packets with stuffing in
            between, or another owner's tag in the same packet.
            """,
        cause: """
            A remultiplexer that repacks data into PES packets of a different size, adds adaptation fields (a PCR on the
            metadata PID), or collects all tags of one moment into one PES packet.
            """,
        action: """
            Pass the metadata PID through packet by packet if the tool supports it, and carry the PCR on another PID. As
            long as players in the field report the tags, this can wait.
            """)

    private static let packetCount = 2

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .arrival(let tag, _, _, let place) = event else { return }
        ledger.report(Self.id, Self.check(tag), at: place)
    }

    private static func check(_ tag: TagOccurrence) -> CheckResult {
        guard case .transportStream(let pid) = tag.carriage, let transport = tag.transport, !tag.isTruncated
        else {
            return .notRun
        }
        if transport.packetCount != packetCount {
            let packets = transport.packetCount == 1 ? "packet" : "packets"
            return .violation(
                .warn,
                "the tag is in \(transport.packetCount) transport \(packets) of PID \(pid): it must fill exactly two"
            )
        }
        if !transport.fillsPackets {
            return .violation(
                .warn,
                "the tag shares its transport packets of PID \(pid) with other bytes: it must fill exactly two"
            )
        }
        return .pass
    }
}
