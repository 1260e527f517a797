import Glibc
import PlayerSession

/// A player as a program of its own: the folder is its first argument.
///
/// It hands over two tags and ends at once, as a process that is killed does. With a count it hands over at least so many,
/// prints how many of them are on the disk after each group, and then waits to be killed with the folder open.
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
            // A group whose size changes, so that a kill meets transactions of every size.
            for _ in 0...count % 7 {
                session.sendID3("www.nielsen.com/\(count)")
                count += 1
            }
            guard await session.flush() else { continue }
            print(count)
            // All streams, so that the number is out before a kill.
            fflush(nil)
        }
    }
}
