/// The page `dtvr(1)`: the tool, its commands, and their common behavior.
enum ToolManual {
    static func write(to text: inout ManualText) {
        text.section("SYNOPSIS")
        text.synopsis("dtvr COMMAND [OPTION]... [OPERAND]...")
        text.synopsis("dtvr help [COMMAND]")
        text.synopsis("dtvr --version")
        text.section("DESCRIPTION")
        for paragraph in description { text.paragraph(paragraph) }
        text.section("COMMANDS")
        for command in CommandRegistry.declarations {
            let page = ManualPage(command).reference
            text.item(command.name, "\(ManualText.sentence(command.summary)). See \(page).")
        }
        text.item(
            "help [COMMAND]", "\(ManualText.sentence(CommandRegistry.helpSummary)), or the list of commands.")
        text.section("OPTIONS")
        text.paragraph("The page of each command lists its options. The options without a command are:")
        text.item("-h, --help", "Show the list of commands.")
        text.item("-V, --version", "Show the version.")
        text.section("EXIT STATUS")
        for status in ExitStatus.allCases {
            text.item("\(status.rawValue)", ManualText.sentence(status.meaning) + ".")
        }
        text.section("ENVIRONMENT")
        text.paragraph(
            "Every setting has an environment variable, whose name begins with DTVR_. dtvr-config(5) lists these and "
                + "the other variables that dtvr uses.")
        text.section("FILES")
        for file in ManualItem.files { text.item(file.name, file.text) }
        text.section("EXAMPLES")
        for example in examples { text.example(example) }
    }

    private static let description = [
        """
        TV streams over HLS carry ID3 tags with Nielsen's audience measurement data for Digital in TV Ratings (DTVR). \
        dtvr extracts these tags from the segments (MPEG transport streams, fragmented MP4 and CMAF with event \
        messages, packed audio) and decodes them, which needs no key. It checks whether they are complete, regular and \
        on time, stores them in a bounded buffer that survives crashes, and delivers each of them once to a collector.
        """,
        """
        Results go to standard output, everything else to standard error. A damaged or missing segment among good ones \
        is reported on standard error and does not end a command. A reader that closes the pipe early does not cause \
        an error. SIGINT and SIGTERM end a command within a second.
        """,
        "Nothing leaves the machine except to the collector that --collector names.",
    ]

    /// A sequence of commands that leads from an empty folder to delivered tags.
    static let examples = [
        CommandExample("dtvr synth demo", "make a stream with synthetic tags"),
        CommandExample("dtvr scan demo/index.m3u8", "print its tags"),
        CommandExample("dtvr check demo/index.m3u8", "check it"),
        CommandExample(
            "dtvr run --collector https://collector.example.com/ demo/index.m3u8",
            "read it, buffer its tags and upload them"),
    ]
}
