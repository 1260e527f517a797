/// `time`: the clocks of the tags, of the stream and of the wall.
extension CheckExplanation {
    static let timeGap = CheckExplanation(
        .timeGap, worst: .fail, clock: .tag, limits: [.gap],
        title: "There is a gap between the times of two tags",
        meaning: """
            The next DATA tag begins more than nine seconds behind the end of the one before: for that time nobody is
            credited. Where the sequence steps too, tags were lost (fail); where it goes on by one, the inserter heard no
            watermark (warn), which is lawful in an advertisement without one.
            """,
        appearance: """
            The `last` of one tag and the `first` of the next lie apart in `dtvr scan`. In a clean stream they are equal.
            """,
        cause: """
            With a step in the sequence: lost segments or packets, see `sequence.step`. Without one: silence, music or an
            advertisement without watermark, audio that was switched to a track without one, or audio processing in
            front of the inserter that removes the watermark.
            """,
        action: """
            Compare the time of the gap with the schedule. If programme that is encoded ran then, listen to the audio at the
            inserter's input: right track, right level, no downmix or time stretching in front of it.
            """)

    static let timeOverlap = CheckExplanation(
        .timeOverlap, worst: .fail, clock: .tag, limits: [.overlap],
        title: "The times of two tags overlap",
        meaning: """
            A DATA tag begins more than nine seconds before the end of the one before it in the same run. The same seconds
            are reported twice, by tags that do not agree; overlap up to nine seconds is normal at a fail-over.
            """,
        appearance: """
            The `first` of a tag is earlier than the `last` of the one before, though its PTS is later.
            """,
        cause: """
            Two inserters that work in series, each adding tags; content that was joined backwards, as a catch-up
            recording that starts over; or an inserter whose wall clock was set back.
            """,
        action: """
            See that one inserter is in the chain (a second one must be told to leave tagged audio alone), and that its clock is
            slewed by NTP, not stepped.
            """)

    static let timeDuration = CheckExplanation(
        .timeDuration, worst: .fail, clock: .tag, limits: [.longestTag, .shortestTag],
        title: "A tag spans too long or too short a time",
        meaning: """
            A DATA tag spans ten seconds. One of more than twelve, or of less than four though it has room left, was
            not closed when it should have been. A short one whose seven blocks are all used closed early because it was
            full, and passes.
            """,
        appearance: """
            `last` − `first` is above 12 s or below 4 s (or negative). The finding says how many of the blocks are unused.
            """,
        cause: """
            The inserter was fed faster or slower than real time (a file read without pacing, then `time.rate` is hit
            too), or was stopped and restarted in the middle of a tag; or its clock was stepped.
            """,
        action: """
            Look at `time.rate` first. Singles at a restart of the inserter need nothing; if they come regularly,
            find out what restarts it, or steps its clock.
            """)

    static let timeRate = CheckExplanation(
        .timeRate, worst: .fail, clock: .both, limits: [.rateDrift, .rateTags, .rateWindow],
        title: "The tags' clock runs at another rate than the stream",
        meaning: """
            Over several tags the presentation times and the tags' own times drift apart in one direction: while 60 s of
            programme went by, the tags say that more or fewer did. Their times are wrong, and so is the credit.
            """,
        appearance: """
            PTS goes up by 10 s a tag and `last` by 2 s (a file read five times as fast as real time), or the other way
            round. Small drifts show over some tags only.
            """,
        cause: """
            The classic fault of a transcoder: a file is read as fast as the machine can, while the inserter stamps tags with
            the wall clock. With FFmpeg that is an input file without `-re` (or `-readrate 1`) in front of an inserter. Slow
            drifts come from audio that is stretched (`atempo`, 24 to 25 frames a second) behind the insertion.
            """,
        action: """
            Feed the inserter in real time, or use its mode for files, in which time comes from the media. Move conversions
            of speed in front of the insertion.
            """)

    static let timeAudioSync = CheckExplanation(
        .timeAudioSync, worst: .fail, clock: .stream, limits: [.audioSync],
        title: "A tag lies far from the audio that it is about",
        meaning: """
            The tag's PTS is more than 15 s from the audio beside it in the stream. A player hands it over at the wrong
            time or never, as when its time has passed before the segment is loaded.
            """,
        appearance: """
            The finding has the tag's time and that of the last audio packet before it (fMP4 and packed audio: the span
            of the segment). A distance that never changes hints at an offset, one that grows at a clock of its own.
            """,
        cause: """
            A step that restamps audio and video and not the metadata PID: FFmpeg with `-output_ts_offset`,
            `-itsoffset` on one input alone or a muxer that starts at zero; a splicer that rebases PTS; a wrap of the
            33-bit PTS that one stream took and the other not. In `emsg` of version 1 a presentation time in another
            timescale than the track's does it too.
            """,
        action: """
            See that the step which changes timestamps changes those of all PIDs alike. With a constant offset, the
            amount tells which step it was: compare the first PTS before and behind each.
            """)

    static let timeWallClock = CheckExplanation(
        .timeWallClock, worst: .warn, clock: .both, limits: [.wallClock],
        title: "The tags are not of the time at which they are sent",
        meaning: """
            The tag's last time is more than five minutes from EXT-X-PROGRAM-DATE-TIME at its place, or, live, from the wall
            clock. The content is old: a loop, a recording, a stale segment. In recorded input this is information.
            """,
        appearance: """
            `last` and `program_date_time` of a tag in `dtvr scan` lie apart, by the same amount for all tags of a
            loop and by a growing one when a stalled encoder repeats the same segments.
            """,
        cause: """
            A slate or fail-over loop with tags in it; time-shifted or catch-up channels, where it is meant to be so;
            EXT-X-PROGRAM-DATE-TIME that was set to the packager's start and never corrected; a clock without NTP.
            """,
        action: """
            If this is a live channel, look whether it is really live: the picture, the age of the newest segment. Otherwise
            see which clock is wrong, the packager's or the inserter's.
            """)
}
