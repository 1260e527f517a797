import Foundation
import HTTPTransfer
import StreamMonitor
import Synchronization
import TestSupport
import Testing

/// The state and the settings of channels that are added, removed or listed again while a monitor runs.
@Suite struct ChangedChannelTests {
    private static let two = "[channel a]\nurl = http://h/a\n[channel b]\nurl = http://h/b\n"

    /// Returns the ids of the channels, with those of paused channels in parentheses.
    private static func text(_ registry: ChannelRegistry) -> String {
        let told = Mutex("")
        registry.begin { channels, paused in
            told.withLock { $0 = channels.map { paused.contains($0.id) ? "(\($0.id))" : $0.id }.joined() }
        }
        return told.withLock { $0 }
    }

    @Test func channel_removedWhilePaused_isFollowedWhenAddedAgain() throws {
        let registry = ChannelRegistry(try ChannelFile(parsing: Self.two), savedAt: nil)
        for id in ["a", "c"] {
            let json = Array(#"{"id":"\#(id)","url":"http://h/\#(id)"}"#.utf8)
            if id == "c" { _ = try registry.add(json: json) }
            try registry.setPaused(id, true)
            try registry.remove(id)
            _ = try registry.add(json: json)
        }
        #expect(Self.text(registry) == "abc")
    }

    @Test func pausedChannel_removedFromTheFile_isFollowedWhenListedAgain() throws {
        let text = Mutex(Self.two)
        let registry = ChannelRegistry(try ChannelFile(parsing: Self.two), savedAt: nil) {
            () throws(ChannelChangeError) in
            do throws(ChannelFile.Fault) {
                return try ChannelFile(parsing: text.withLock { $0 })
            } catch {
                throw .invalid(error.message)
            }
        }
        try registry.setPaused("a", true)
        try registry.setPaused("b", true)
        text.withLock { $0 = "[channel a]\nurl = http://h/a\n" }
        #expect(try registry.reload().count == 1)
        text.withLock { $0 = Self.two }
        #expect(try registry.reload().count == 2)
        #expect(Self.text(registry) == "(a)b")
    }

    /// The client that adds a channel chooses its address, so the operator's certificate must not be sent there.
    @Test func addedChannel_hasNoClientCertificate() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("own.pem", "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n")
        let defaults = "[defaults]\nclient-cert = \(file)\nca-file = \(file)\nproxy = http://proxy:3128\n"
        let registry = ChannelRegistry(try ChannelFile(parsing: defaults + Self.two), savedAt: nil)
        _ = try registry.add(json: Array(#"{"id":"c","url":"http://elsewhere/c"}"#.utf8))
        let connections = registry.channels.map(\.connection)
        #expect(connections.map(\.clientCertificateFile) == [file, file, nil])
        // It uses the same authorities file and proxy as the others.
        #expect(connections.allSatisfy { $0.authoritiesFile == file && $0.proxy == "http://proxy:3128" })
    }
}
