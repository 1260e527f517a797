import Foundation
import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing

@testable import dtvr

/// The completions of bash, as bash computes them; and the structure of the scripts for zsh and fish.
@Suite(.timeLimit(.minutes(30))) struct CompletionTests {
    /// Returns the words that bash offers for the last word of a call, which is split as bash splits it.
    private static func offered(
        _ words: String..., in folder: TemporaryFolder, splitsAtEqualsSigns: Bool = true
    ) async throws -> [String] {
        let script = try folder.write("completion", CompletionShell.bash.script.utf8)
        var split: [String] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if splitsAtEqualsSigns, parts.count == 2 {
                split += [String(parts[0]), "="] + (parts[1].isEmpty ? [] : [String(parts[1])])
            } else {
                split.append(word)
            }
        }
        let quoted = (["dtvr"] + split).map { "'\($0)'" }.joined(separator: " ")
        let command = """
            cd '\(folder.path)'; . '\(script)'
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(split.count); _dtvr
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let shell = try await FinishedProcess.of(
            "/bin/bash", ["--noprofile", "--norc", "-c", command], environment: ["PATH": "/usr/bin:/bin"])
        #expect(shell.status == 0 && shell.errors.isEmpty, "\(String(decoding: shell.errors, as: UTF8.self))")
        return String(decoding: shell.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func bash_offersCommands_andHelpTopics() async throws {
        let folder = try TemporaryFolder()
        let commands = CommandRegistry.declarations.map(\.name)
        #expect(try await Self.offered("", in: folder) == commands + ["help", "--help", "--version"])
        #expect(try await Self.offered("s", in: folder) == ["scan", "store", "synth"])
        #expect(try await Self.offered("help", "", in: folder) == commands)
        #expect(try await Self.offered("help", "co", in: folder) == ["collect", "completions"])
        #expect(try await Self.offered("--help", "sy", in: folder) == ["synth"])
    }

    @Test(arguments: CommandRegistry.declarations) func bash_offersTheOptionsOfACommand(
        command: CommandDeclaration
    )
        async throws
    {
        let folder = try TemporaryFolder()
        let flags = command.settings.map(\.flag) + ["--help"]
        #expect(try await Self.offered(command.name, "--", in: folder) == flags)
    }

    /// After a blank, after an equals sign at which bash splits, and after one at which it does not.
    @Test(arguments: CommandRegistry.declarations) func bash_offersTheValuesOfAnOption(
        command: CommandDeclaration
    )
        async throws
    {
        let folder = try TemporaryFolder()
        for setting in command.settings where !setting.suggestions.isEmpty {
            let (flag, words) = (setting.flag, setting.suggestions)
            #expect(try await Self.offered(command.name, flag, "", in: folder) == words)
            #expect(try await Self.offered(command.name, "\(flag)=", in: folder) == words)
            let start = String(words[0].prefix(2))
            let matching = words.filter { $0.hasPrefix(start) }
            #expect(try await Self.offered(command.name, "\(flag)=\(start)", in: folder) == matching)
            let whole = try await Self.offered(
                command.name, "\(flag)=\(start)", in: folder, splitsAtEqualsSigns: false)
            #expect(whole == matching.map { "\(flag)=\($0)" })
        }
    }

    @Test func bash_offersFaults_checks_actionsAndShells() async throws {
        let folder = try TemporaryFolder()
        let faults = ["list"] + SynthesisFault.allCases.map(\.id)
        #expect(try await Self.offered("synth", "--fault", "", in: folder) == faults)
        #expect(try await Self.offered("collect", "--fault=lost", in: folder) == ["lost-answer"])
        #expect(
            try await Self.offered("check", "--explain", "time.", in: folder)
                == CheckID.all.map(\.rawValue).filter { $0.hasPrefix("time.") })
        #expect(try await Self.offered("store", "p", in: folder) == ["prune"])
        #expect(try await Self.offered("completions", "z", in: folder) == ["zsh"])
        #expect(try await Self.offered("run", "--rendition=l", in: folder) == ["lowest"])
    }

    @Test func bash_offersFiles_withSpacesInTheirNames() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("one file.ts", "".utf8)
        _ = try folder.write("other.pem", "".utf8)
        let files = ["completion", "one file.ts", "other.pem"]
        #expect(try await Self.offered("run", "--cacert", "", in: folder).sorted() == files)
        #expect(try await Self.offered("run", "--cacert=o", in: folder).sorted() == Array(files.dropFirst()))
        #expect(try await Self.offered("scan", "one", in: folder) == ["one file.ts"])
        #expect(try await Self.offered("run", "--max-age", "", in: folder).isEmpty)
    }

    @Test(arguments: [CompletionShell.zsh, .fish])
    func otherShells_offerTheSameWords(shell: CompletionShell) {
        let script = shell.script
        for command in CommandRegistry.declarations {
            for setting in command.settings where !setting.suggestions.isEmpty {
                let words = setting.suggestions.joined(separator: " ")
                #expect(
                    script.contains(shell == .zsh ? ":value:(\(words))'" : "-x -a '\(words)'"),
                    "\(setting.name)")
            }
        }
        let help =
            shell == .zsh ? "help|--help) _describe" : "'__fish_seen_subcommand_from help' -f -a 'run scan"
        #expect(script.contains(help))
    }
}
