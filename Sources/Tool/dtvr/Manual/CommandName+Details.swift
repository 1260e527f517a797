extension CommandName {
    /// The paragraphs that the manual page of a command adds to its help text.
    var details: [String] {
        switch self {
        case .run:
            [
                """
                Each segment is checked as it is read, and its tags are written to the buffer, where they survive a \
                crash. When all input is read, they are uploaded to the collector, if --collector names one. Tags that \
                it accepted are deleted; tags that it refused for good become dead letters, which dtvr-store(1) lists. \
                When it cannot be reached, the tags stay in the buffer for dtvr-upload(1). The same recording can be \
                read twice: the collector recognizes the tags that it has.
                """,
                "The last line states the verdict of the checks, which the exit status does not depend on.",
                Self.inputDetails, Self.renditionDetails,
            ]
        case .scan:
            [
                """
                Prints a line for each tag, repeats included. With --format jsonl or csv the lines are for programs; \
                the keys of both are the same.
                """,
                Self.inputDetails, Self.renditionDetails,
            ]
        case .check:
            [
                """
                Every variant of a multivariant playlist is read, with the default audio of its group, and they are \
                compared with each other. Every limit that a check goes by is an option, and a report names the limits \
                that it used. --list lists the checks, and --explain says of one what it means, what usually causes it \
                to fail, and what to do.
                """,
                Self.inputDetails,
            ]
        case .monitor:
            [
                """
                A live playlist is loaded again after its target duration, after half of it when it has not changed; each \
                segment is read once, while it is downloaded. Tags are buffered and uploaded as they come. After a \
                restart, each channel goes on where its last tag was buffered, and alerts that were active are known.
                """,
                """
                A channel is connecting, healthy, degraded (a check found something within the last minute), silent (no \
                tag for the limit of presence.silent), unreachable, paused (quiet hours) or ended. An alert is raised \
                once and cleared once: for missing tags and a playlist that stands still at once, for other findings when \
                they come twice within a minute.
                """,
                """
                Of an alert that is raised, the playlist and the newest segments of the channel are kept in a folder under \
                evidence in the folder of the buffer, 8 MiB for an alert and 200 MiB in all; dtvr-check(1) reads its \
                index.m3u8. The secrets of the channel are left out.
                """,
                """
                With --alert-webhook, each alert is posted as the object that --format jsonl prints, with X-DTVR-Timestamp, \
                Idempotency-Key and, given --alert-key-file, X-DTVR-Signature: sha256= and the HMAC-SHA-256 of the \
                timestamp, a full stop and the body. It is sent again until it is accepted (2xx), refused (other 4xx than \
                408, 425 and 429) or a day old, also after a restart; redirects are not followed. The program of \
                --alert-command may take 30 s, and gets none of our variables but those that say where it is.
                """,
                """
                A channel file has a section [channel ID] for each channel, with the keys url, name, backup, \
                compare-backup, rendition, header (Name: value, in which ${NAME} stands for an environment variable), \
                ca-file, client-cert, proxy, quiet (02:00-05:30), expect-tags-in-ads and the limits of the checks; \
                [defaults] holds what channels have in common. SIGHUP has the file read again; a file with a fault \
                changes nothing.
                """,
            ]
        case .store:
            [
                """
                The buffer is a folder. It holds the tags of ten days in 30,000,000 bytes, unless --max-age and \
                --max-bytes say otherwise; a tag leaves it when a collector accepted or refused it, when it is too old, \
                or when there is no room, and each of these is counted. Only one process at a time uses a buffer: \
                others wait for it, as long as --wait says. status never waits, and a running dtvr-monitor(1) answers list, \
                export, status and retry through monitor.sock in the folder.
                """
            ]
        case .upload:
            [
                """
                Tags are sent in batches, as NDJSON over HTTP. A batch that fails in transit is sent again, after \
                increasing waits and with the same key, by which the collector recognizes it. Without --follow, the \
                command gives up after five seconds of failures, and the tags stay in the buffer.
                """
            ]
        case .collect:
            [
                """
                A tag that comes again is answered as a duplicate, also after a restart. With --fault it misbehaves as \
                collectors and gateways do, to show what a sender makes of it. It runs until SIGINT or SIGTERM, and then \
                ends with status 0.
                """
            ]
        case .synth:
            [
                """
                DIR/index.m3u8 is a multivariant playlist; the variants and the audio lie in folders beside it. The same \
                settings make the same tags.
                """
            ]
        case .replay:
            [
                """
                A line of a log is an object with at, the seconds since the start; call, the name of a call, without \
                regard to case; and arguments, a list. A tag's bytes are a text of the characters U+0000 to U+00FF. An \
                optional instance names one of several sessions. Lines that begin with # are comments. The order of \
                the file counts, never at.
                """,
                """
                Each call is answered with an outcome: stored, held (the playhead has not reached the tag), repeat, \
                ignored (a tag of another owner), invalid, discarded (opted out, or disabled), done, error or \
                unreadable; and with findings, what the players' guides would not have allowed. docs/players.md \
                explains each finding. Tags that are still held at the end are sent as not presented.
                """,
            ]
        case .tag, .completions, .manual: []
        }
    }

    private static let inputDetails = """
        Of a directory, the segments are read in natural order, seg2 before seg10; playlists in it are not followed. DASH \
        manifests are not read: name the directory of the segments.
        """

    private static let renditionDetails = """
        Of a multivariant playlist, the variant of the lowest bandwidth is read and the default audio of its group, \
        unless --rendition chooses others. A tag that several renditions carry counts once.
        """
}
