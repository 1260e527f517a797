extension CommandName {
    /// The paragraphs that the manual page of a command adds to its help text.
    var details: [String] {
        switch self {
        case .run:
            [
                """
                Each segment is checked while it is read, and its tags are written to the buffer, where they survive a \
                crash. After all input is read, the tags are uploaded to the collector, if --collector names one. Tags \
                that the collector accepts are deleted. Tags that it permanently refuses become dead letters, which \
                dtvr-store(1) lists. If the collector is unreachable, the tags stay in the buffer for dtvr-upload(1). \
                The same recording can be read twice: the collector detects duplicates.
                """,
                "The last line states the verdict of the checks, which does not affect the exit status.",
                Self.inputDetails, Self.renditionDetails,
            ]
        case .scan:
            [
                """
                Prints a line for each tag, including repeats. The formats jsonl and csv are for programs, and use the \
                same keys.
                """,
                Self.inputDetails, Self.renditionDetails,
            ]
        case .check:
            [
                """
                Every variant of a multivariant playlist is read, with the default audio of its group, and the \
                variants are compared with each other. Every limit of a check is an option, and a report names the \
                limits that it used. --list lists the checks; --explain describes a check, the usual causes of its \
                failure, and what to do.
                """,
                Self.inputDetails,
            ]
        case .monitor:
            [
                """
                A live playlist is reloaded after its target duration, or after half of it if the playlist has not \
                changed. Each segment is read once, while it is downloaded. Tags are buffered and uploaded as they \
                arrive. After a restart, each channel continues after its last buffered tag, and active alerts stay \
                active.
                """,
                """
                A channel is connecting, healthy, degraded (a check had a finding within the last minute), silent (no \
                tag within the limit of presence.silent), unreachable, paused (quiet hours) or ended. Each alert is \
                raised once and cleared once. Missing tags and a stalled playlist raise an alert immediately; other \
                findings raise one when they occur twice within a minute.
                """,
                """
                When an alert is raised, the playlist and the newest segments of the channel are saved in a folder \
                under evidence in the folder of the buffer, up to 8 MiB per alert and 200 MiB in total. dtvr-check(1) \
                reads the index.m3u8 of that folder. The secrets of the channel are removed.
                """,
                """
                With --alert-webhook, each alert is sent by POST as the object that --format jsonl prints, with the \
                fields X-DTVR-Timestamp and Idempotency-Key. With --alert-key-file, it also has the field \
                X-DTVR-Signature: sha256= and the HMAC-SHA-256 of the timestamp, a period and the body. An alert is \
                retried, even after a restart, until it is accepted (2xx), refused (4xx other than 408, 425 and 429) \
                or a day old. Redirects are not followed.
                """,
                """
                The program of --alert-command has 30 s to finish. Of the environment, it inherits only PATH, HOME, \
                USER, LOGNAME, SHELL, LANG, LC_ALL, TZ and TMPDIR.
                """,
                """
                A channel file has a section [channel ID] for each channel, with the keys url, name, backup, \
                compare-backup, rendition, header (Name: value, where ${NAME} is the value of an environment \
                variable), ca-file, client-cert, proxy, quiet (02:00-05:30), expect-tags-in-ads and the limits of the \
                checks. The section [defaults] applies to all channels. SIGHUP reloads the file; a file with errors is \
                ignored.
                """,
            ]
        case .store:
            [
                """
                The buffer is a folder. By default it holds tags for ten days in up to 30,000,000 bytes; --max-age and \
                --max-bytes change these limits. A tag leaves the buffer when a collector accepts or refuses it, when \
                it is too old, or when the buffer is full, and each of these is counted. Only one process at a time \
                uses a buffer; others wait for up to the time of --wait. status never waits, and a running \
                dtvr-monitor(1) answers list, export, status and retry through monitor.sock in the folder.
                """
            ]
        case .upload:
            [
                """
                Tags are sent in batches, as NDJSON over HTTP. A batch that fails in transit is retried after \
                increasing delays, with the same idempotency key, so that the collector recognizes it. Without \
                --follow, the command gives up after five seconds of failures, and the tags stay in the buffer.
                """
            ]
        case .collect:
            [
                """
                A repeated tag is reported as a duplicate, even after a restart. With --fault, the command simulates \
                failures of collectors and gateways, to test how a sender handles them. It runs until SIGINT or \
                SIGTERM, and then exits with status 0.
                """
            ]
        case .synth:
            [
                """
                DIR/index.m3u8 is a multivariant playlist; the variants and the audio are in folders next to it. The \
                same settings produce the same tags.
                """
            ]
        case .replay:
            [
                """
                Each line of a log is an object with the keys at, the seconds since the start; call, the \
                case-insensitive name of a call; and arguments, a list. The bytes of a tag are a string of the \
                characters U+0000 to U+00FF. The optional key instance names one of several sessions. Lines that begin \
                with # are comments. Calls run in the order of the file, regardless of at.
                """,
                """
                Each call has an outcome: stored, held (the playhead has not reached the tag), repeat, ignored (a tag \
                of another owner), invalid, discarded (opted out, or disabled), done, error or unreadable. It also has \
                findings: the violations of the players' guides. docs/players.md explains each finding. Tags that are \
                still held at the end are sent as not presented.
                """,
            ]
        case .tag, .completions, .manual: []
        }
    }

    private static let inputDetails = """
        The segments of a directory are read in natural order, seg2 before seg10; its playlists are ignored. DASH \
        manifests are not supported: name the directory of the segments instead.
        """

    private static let renditionDetails = """
        By default, the variant with the lowest bandwidth of a multivariant playlist is read, with the default audio \
        of its group; --rendition selects others. A tag in several renditions counts once.
        """
}
