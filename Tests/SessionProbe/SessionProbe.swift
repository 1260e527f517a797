import PlayerSession

/// A player that hands over one tag, and ends at once, as a process that is killed does: the folder is its argument.
@main
enum SessionProbe {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { return print("usage: session-probe FOLDER") }
        let session = MeasurementSession(
            appInfo: ["appid": "T0"], options: SessionOptions(directory: CommandLine.arguments[1]))
        session.play(["channelName": "One"])
        session.sendID3("www.nielsen.com/now")
        session.sendID3("www.nielsen.com/later", mediaTime: 30)
        print(await session.settle())
    }
}
