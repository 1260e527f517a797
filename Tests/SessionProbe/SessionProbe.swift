import Glibc
import PlayerSession

/// A player as a separate program; its first argument is the folder.
///
/// Without a count, it hands over two tags and exits at once, like a process that is killed. With a count, it hands
/// over at least that many tags, and prints the number on the disk after each group. Then it waits to be killed with
/// the folder open.
@main
enum SessionProbe {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let maximumCount = arguments.dropFirst().first.flatMap { Int($0) }
        guard let folder = arguments.first, arguments.count == (maximumCount == nil ? 1 : 2) else {
            return print("usage: session-probe FOLDER [COUNT]")
        }
        let session = MeasurementSession(
            appInfo: ["appid": "T0"], options: SessionOptions(directory: folder))
        session.play(["channelName": "One"])
        if let maximumCount {
            await handOver(maximumCount, to: session)
            while true { pause() }
        } else {
            session.sendID3("www.nielsen.com/now")
            session.sendID3("www.nielsen.com/later", mediaTime: 30)
            print(await session.flush())
        }
    }

    private static func handOver(_ maximumCount: Int, to session: MeasurementSession) async {
        var count = 0
        while count < maximumCount {
            // The size of the groups changes, so that a kill meets transactions of every size.
            for _ in 0...count % 7 {
                session.sendID3("www.nielsen.com/\(count)")
                count += 1
            }
            guard await session.flush() else { continue }
            print(count)
            // Flushes all streams, so that the number is written before a kill.
            fflush(nil)
        }
    }
}
