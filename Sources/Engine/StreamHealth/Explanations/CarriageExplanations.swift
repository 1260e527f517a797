/// `carriage`: how the tags travel.
extension CheckExplanation {
    static let pmtDescriptors = CheckExplanation(
        .pmtDescriptors, worst: .fail,
        title: "The programme map does not announce timed ID3",
        meaning: """
            A transport stream says in its PMT that it carries ID3: a metadata_pointer_descriptor (0x25) for the
            programme and a metadata_descriptor (0x26) for the elementary stream, both with the format identifier
            `ID3 `. One of them is missing here. The tags are in the stream and were read all the same, but players may
            go by the descriptors, and Nielsen's own tools do: they see no tag, and nothing is counted.
            """,
        appearance: """
            The PMT lists a stream of type 0x15, and its programme loop has no `25 0f ff ff 49 44 33 20 …`, or its
            stream loop no `26 0d ff ff 49 44 33 20 …`. Everything else is as it should be.
            """,
        cause: """
            A remultiplexer rebuilt the PMT and wrote the descriptors that it knows. FFmpeg's MPEG-TS muxer writes 0x26
            and no 0x25 (seen with libavformat 5.1.9), so `ffmpeg … -map 0 -c copy` to a transport stream behind
            the inserter causes it. Splicers that replace the PMT at an advertisement do the same for the time of the break.
            """,
        action: """
            Find the last hop whose input has the descriptors and whose output has not, with `dtvr check` on both sides.
            Let the step that writes the final segments announce timed ID3 metadata (an output setting in most
            encoders), or move the insertion of tags behind it.
            """)

    static let streamType = CheckExplanation(
        .streamType, worst: .fail,
        title: "The ID3 stream has the wrong type or stream id",
        meaning: """
            Timed ID3 is an elementary stream of type 0x15 (metadata in PES packets) whose PES packets have the stream_id
            0xBD (private_stream_1). A player that goes by the type passes this stream over, and its tags are not
            reported.
            """,
        appearance: """
            The PMT gives the PID of the tags another type, often 0x06 (private data), or its PES packets begin
            `00 00 01` with another byte than `bd`, as `fc` (metadata stream) or `bf`.
            """,
        cause: """
            A multiplexer that has no notion of timed ID3 and takes the stream for private data: the generic "data PID"
            or "pass this PID through" setting of a remultiplexer keeps the packets and writes the type that it gives all
            data. A stream_id of 0xFC comes from tools that follow the general rule for metadata streams in MPEG-2
            systems, not Apple's for HLS.
            """,
        action: """
            Set the output's PID to timed metadata (ID3, type 0x15), not to private data. Where the tool has no such
            setting, the stream must be multiplexed by one that has.
            """)

    static let ptsMissing = CheckExplanation(
        .ptsMissing, worst: .fail,
        title: "A tag has no presentation time",
        meaning: """
            A metadata PES packet in which a tag begins has no PTS. A player cannot tell when the tag is due: it drops it,
            or hands it over at once, and then credit goes to the wrong moment or to nobody.
            """,
        appearance: """
            In the PES header the two PTS_DTS_flags are 00. `dtvr scan` prints the tag without a time.
            """,
        cause: """
            An inserter or multiplexer that sends metadata as asynchronous data. FFmpeg writes such packets where the
            packet that it was given has no timestamp (AV_NOPTS_VALUE), as after a bitstream filter or a custom feeder
            that sets none.
            """,
        action: """
            Have the inserter stamp every tag with the PTS of the audio that it last heard. It must be in the clock of
            the multiplex and go through every restamping that audio and video go through.
            """)

    static let pesIncomplete = CheckExplanation(
        .pesIncomplete, worst: .fail,
        title: "A tag is cut short",
        meaning: """
            The PES packet ended before its tag did, and nothing continues it. What is left is reported and not decoded:
            this tag is lost for every viewer.
            """,
        appearance: """
            The ID3 header announces more bytes than came; a Nielsen tag has 271 of them in two transport packets, and
            mostly it is the second that is missing, often at the end of a segment.
            """,
        cause: """
            A segmenter cut between the two packets of the tag and threw the rest away; a transport packet was lost on the
            way (then `carriage.continuity` is hit too, mostly over UDP or a full buffer); or a PES_packet_length was
            written that is smaller than the tag.
            """,
        action: """
            Where it is always at a segment's end, the segmenter must keep the packets of one PES packet together. Where it
            comes at random, look for loss: UDP counters, continuity errors on audio and video, rate limits of the
            multiplex.
            """)

    static let packetsPerTag = CheckExplanation(
        .packetsPerTag, worst: .warn,
        title: "A tag does not fill exactly two transport packets",
        meaning: """
            A Nielsen tag is 271 bytes and, with its PES header, takes exactly two transport packets that follow each other
            on the PID. Here it is spread over more, or shares them. Most players read it; simple extractors, written
            for the two packets, do not.
            """,
        appearance: """
            One tag over several PES packets, several tags in one PES packet, three or more packets with stuffing in
            between, or another owner's tag in the same packet.
            """,
        cause: """
            A remultiplexer that repacks data into PES packets of its own size, adds adaptation fields (a PCR on the
            metadata PID), or collects all tags of one moment into one PES packet.
            """,
        action: """
            Pass the metadata PID through packet by packet where the tool can, and let another PID carry the PCR. As long
            as players in the field report the tags, this can wait.
            """)

    static let continuity = CheckExplanation(
        .continuity, worst: .warn,
        title: "The continuity counter of the ID3 stream is wrong",
        meaning: """
            The 4-bit counter of the metadata PID does not go up by one inside a segment: packets are missing, or were
            written by two sources. A strict demuxer drops the PES packet around the step, and the tag in it.
            """,
        appearance: """
            Counters such as 3, 4, 6. The same packet twice with the same counter is lawful and is not reported. Between two
            segments any step is allowed.
            """,
        cause: """
            Packet loss on the way to the packager; a splicer or fail-over switch that joins two multiplexes; or an inserter
            that writes its packets into a finished stream with a counter of its own beside one that exists.
            """,
        action: """
            If audio and video have errors at the same places, mend the transport. If the metadata PID alone has them, the
            inserter and the multiplex both write on this PID, or the inserter does not keep its counter from call to call.
            """)

    static let emsgForm = CheckExplanation(
        .emsgForm, worst: .warn,
        title: "An event message departs from the forms in use",
        meaning: """
            In fMP4 a tag travels in an `emsg` box whose scheme, value and version say that it is ID3. This box has a tag in
            it, but in a form that players may not look for; or two boxes have the same id and different tags, of which
            a player may keep only the first.
            """,
        appearance: """
            Expected is `https://aomedia.org/emsg/ID3` with version 1, or `www.nielsen.com:id3:v1` with value `1`
            (DASH). Found was another scheme or value, version 0 where 1 is the rule, or a repeated id.
            `dtvr scan --format jsonl` shows them as `scheme`, `value`, `emsg_version` and `emsg_id`.
            """,
        cause: """
            Packagers from before the rule for CMAF wrote schemes of their own (`http://www.id3.org/`,
            `https://developer.apple.com/streaming/emsg-id3`). A counter of ids that is started anew with every segment
            gives repeated ones.
            """,
        action: """
            Set the packager's ID3 scheme to `https://aomedia.org/emsg/ID3` and version 1, and look whether your players
            accept what is there: hls.js for one takes any scheme that contains `/emsg/ID3` or `/emsg-id3`. Ids must
            differ wherever the message does.
            """)

    static let ownerPresent = CheckExplanation(
        .ownerPresent, worst: .fail, limits: [.ownerMinimumDuration],
        title: "There is no Nielsen tag at all",
        meaning: """
            A programme long enough to have several has not one tag whose owner is `www.nielsen.com/`. Nobody who watches
            this stream is counted.
            """,
        appearance: """
            `dtvr scan --all` lists no tag, or tags of other owners alone, such as
            `com.apple.streaming.transportStreamTimestamp`. Often the PMT has no stream of type 0x15 either.
            """,
        cause: """
            The tags got lost in a transcoder or packager. FFmpeg's automatic choice takes no data stream: without
            `-map 0:d` (or `-map 0`) the ID3 stream is left out without an error, and an MP4 output cannot hold it. Shaka
            Packager passes over stream types that it does not read and says so in its log (`Ignore unsupported MPEG2TS
            stream type`). AWS Elemental MediaLive has a switch for every output (`nielsenId3Behavior`,
            `timedMetadataBehavior`). MP4 in the middle of the chain loses every type 0x15 stream unless the tool turns it
            into `emsg`. Or the inserter hears no watermark: wrong audio track, audio muted, or not encoded for Nielsen.
            """,
        action: """
            Run `dtvr check` on the output of every hop from the inserter on; the first without tags is the place.
            For FFmpeg add `-map 0:v -map 0:a -map 0:d -c:d copy`. For a managed encoder turn passing timed metadata
            on in each output. Where no hop has tags, look at the inserter and at the audio that it is given.
            """)
}
