import Glibc
import PlayerSession

/// A player as a program of its own: the folder is its first argument.
///
/// It hands over two tags and ends at once, as a process that is killed does; with `endless` it hands over one after the
/// other, says how many of them are on the disk whenever it is told, and waits to be killed.
@main
enum SessionProbe {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, arguments.count <= 2 else {
            return print("usage: session-probe FOLDER [endless]")
        }
        let session = MeasurementSession(
            appInfo: ["appid": "T0"], options: SessionOptions(directory: folder))
        session.play(["channelName": "One"])
        if arguments.last == "endless" {
            await handOver(to: session)
        } else {
            session.sendID3("www.nielsen.com/now")
            session.sendID3("www.nielsen.com/later", mediaTime: 30)
            print(await session.settle())
        }
    }

    private static func handOver(to session: MeasurementSession) async {
        var count = 0
        while true {
            // A group whose size changes, so that a kill meets transactions of every size.
            for _ in 0...count % 7 {
                session.sendID3("www.nielsen.com/\(count)")
                count += 1
            }
            guard await session.settle() else { continue }
            print(count)
            // All streams, so that the number is out before a kill.
            fflush(nil)
        }
    }
}
