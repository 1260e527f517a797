import TestSupport
import Testing
import TextForms

@testable import dtvr

/// The tool's suggestions for misspelled words.
@Suite(.timeLimit(.minutes(30))) struct SuggestionTests {
    @Test(arguments: [
        (["scna", "x"], "there is no command 'scna'; did you mean 'scan'?"),
        (["help", "chekc"], "there is no command 'chekc'; did you mean 'check'?"),
        (["hlep"], "there is no command 'hlep'; did you mean 'help'?"),
        (["--hepl"], "there is no option '--hepl'; did you mean '--help'?"),
        (
            ["scan", "--fromat", "csv", "x"],
            "there is no option '--fromat' for 'scan'; did you mean '--format'?"
        ),
        (
            ["check", "--limit-gpa=9", "x"],
            "there is no option '--limit-gpa' for 'check'; did you mean '--limit-gap'?"
        ),
        (
            ["scan", "--format", "josnl", "x"],
            "takes one of text, jsonl, csv, not 'josnl'; did you mean 'jsonl'?"
        ),
        (["check", "--explain", "tag.chekcsum"], "not 'tag.chekcsum'; did you mean 'tag.checksum'?"),
        (["check", "--explain", "pmt"], "not 'pmt'; did you mean 'carriage.pmt-descriptors'?"),
        (
            ["check", "--explain", "sync"],
            "'time.audio-sync', 'transport.sync-lost', 'sync-safe-frame-sizes' or 'false-unsynchronisation'?"
        ),
        (["check", "--explain", "time.gaps"], "not 'time.gaps'; did you mean 'time.gap'?"),
        (["store", "satus"], "not 'satus'; did you mean 'status'?"),
        (["completions", "bahs"], "not 'bahs'; did you mean 'bash'?"),
        (["synth", "--fault", "tag.cheksum", "/tmp/never-made"], "; did you mean 'tag.checksum'?"),
        (["collect", "--fault", "lost-anwser"], "; did you mean 'lost-answer'?"),
    ])
    func misspelledWord_getsASuggestion(call: [String], message: String) async throws {
        let result = try await Tool.run(arguments: call)
        #expect(result.status == 2)
        let first = result.errors.split(separator: "\n").first.map(String.init) ?? ""
        #expect(first.hasSuffix(message), "\(first)")
    }

    @Test func misspelledKey_inAConfigurationFile_getsASuggestion() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("config", "formta = csv\n".utf8)
        let result = try await Tool.run("scan", "--config", file, "x")
        #expect(result.status == 2)
        #expect(result.errors.contains("\(file):1: unknown key 'formta'; did you mean 'format'?"))
    }

    @Test func dissimilarWords_getNoSuggestion() async throws {
        for call in [
            ["nothing"], ["scan", "--foo", "x"], ["store", "lose"], ["x"], ["scan", "--format", "é", "x"],
        ] {
            let result = try await Tool.run(arguments: call)
            #expect(result.status == 2 && !result.errors.contains("did you mean"), "\(result.errors)")
        }
    }

    @Test(arguments: [
        ("scan", "scan", 0), ("scan", "scna", 1), ("scan", "scam", 1), ("scan", "can", 1),
        ("scan", "scans", 1),
        ("scan", "", 4), ("", "", 0), ("format", "fromta", 2), ("abc", "cab", 2),
    ])
    func distance_countsEditsAndTranspositions(one: String, other: String, count: Int) {
        #expect(Suggestion.distance(Array(one.utf8), Array(other.utf8)) == count)
        #expect(Suggestion.distance(Array(other.utf8), Array(one.utf8)) == count)
    }
}
