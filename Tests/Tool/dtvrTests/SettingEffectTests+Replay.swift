import Foundation
import TestSupport
import Testing

extension SettingEffectTests {
    /// A log whose last call is two seconds after the first.
    private static let log = """
        {"at":0,"call":"init","arguments":[{"appid":"T1","Program":"x"}]}
        {"at":0,"call":"play","arguments":[{"Station":"One"}]}
        {"at":2,"call":"sendID3","arguments":["www.nielsen.com/a"]}

        """

    private static func replay(_ folder: TemporaryFolder, _ options: String...) async throws -> Tool.Result {
        let log = try folder.write("calls.jsonl", log.utf8)
        return try await Tool.run(
            arguments: ["replay", "--format", "jsonl", "--store", folder.path + "/store", log] + options)
    }

    /// A name that the configuration maps becomes the name of the channel.
    static func playerConfiguration(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("player.json", #"{"variables":{"Station":"channelName"}}"#.utf8)
        for (options, isNamed) in [([], false), (["--player-config", file], true)] {
            let own = try TemporaryFolder()
            let log = try own.write("calls.jsonl", log.utf8)
            let store = own.path + "/store"
            let call = ["replay", "--store", store, log] + options
            #expect(try await Tool.run(arguments: call).status == 0)
            let exported = try await output("store", "export", "--store", store)
            #expect(exported.contains(#""channel":"One""#) == isNamed, "\(exported)")
        }
        #expect(try await replay(folder, "--player-config", "/no/such.json").status == 2)
    }

    /// At twice the speed, two seconds take one.
    static func speed(_ folder: TemporaryFolder) async throws {
        let start = ContinuousClock.now
        #expect(try await replay(folder, "--speed", "2").status == 0)
        #expect(ContinuousClock.now - start >= .seconds(1))
        for bad in ["0", "-1", "fast", "inf"] {
            #expect(try await replay(folder, "--speed", bad).status == 2)
        }
    }

    /// A tag identical to the previous one is stored only with the flag.
    static func keepRepeats(_ folder: TemporaryFolder) async throws {
        let tag = #"{"at":1,"call":"sendID3","arguments":["www.nielsen.com/a"]}"# + "\n"
        let log = try folder.write("repeats.jsonl", (tag + tag).utf8)
        for (options, stored) in [([], 1), (["--keep-repeats"], 2)] {
            let result = try await Tool.run(arguments: ["replay", "--format", "jsonl", log] + options)
            #expect(
                result.outputLines.last?.contains(#""handed":2,"stored":\#(stored),"#) == true, "\(result)")
        }
    }

    /// The log of a replay contains each call, and can itself be replayed.
    static func log(_ folder: TemporaryFolder) async throws {
        let copy = folder.path + "/copy.jsonl"
        let result = try await replay(folder, "--log", copy)
        #expect(result.status == 0, "\(result)")
        let again = try await Tool.run("replay", "--format", "jsonl", copy)
        // The end of the session is a separate call.
        let lines = again.outputLines.filter { !$0.contains(#""call":"free""#) }
        #expect(again.status == 0 && lines == result.outputLines, "\(again)")
        let log = folder.path + "/calls.jsonl"
        #expect(try await Tool.run("replay", "--log", copy, log, log).status == 2)
    }

    /// The flag selects the market whose rules apply.
    static func market(_ folder: TemporaryFolder) async throws {
        let log = CertifyTests.logs + "/metadata.adloadtype.fail.jsonl"
        #expect(try await Tool.run("certify", log).status == 1)
        #expect(try await Tool.run("certify", "--market", "us", log).status == 0)
    }

    /// The report names the platform.
    static func platform(_ folder: TemporaryFolder) async throws {
        let text = try await output("certify", "--platform", "android", CertifyTests.good)
        #expect(text.contains("platform: android"))
    }

    /// The replay gives up immediately.
    ///
    /// The tag stays in the buffer, with the records of the app, the asset and the run of the app.
    static func timeout(_ folder: TemporaryFolder) async throws {
        let result = try await replay(folder, "--collector", "http://127.0.0.1:9/", "--timeout", "0s")
        #expect(result.status == 5, "\(result)")
        #expect(result.errors.contains("4 records stay in the buffer"), "\(result)")
    }
}
