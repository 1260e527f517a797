import Foundation
import HLSInput
import HTTPServing
import HTTPTransfer
import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing
import TextForms

@testable import StreamMonitor

/// What is left of texts in which secrets stand.
@Suite struct RedactionTests {
    private static let redaction: Redaction = {
        var settings = ChannelSettings(
            id: "one", url: "https://user-name:pass-word@cdn.example/a.m3u8?token=abcdef123&v=1")
        settings.headers = [
            .init(name: "Authorization", value: "Bearer header-token"), .init(name: "X", value: "k"),
        ]
        return Redaction(settings)
    }()

    @Test(arguments: [
        ("nothing to hide", "nothing to hide"),
        ("https://cdn.example/a.m3u8?x=1", "https://cdn.example/a.m3u8?…"),
        ("seg.ts?sig=1 and more", "seg.ts?… and more"),
        ("what? no", "what? no"),
        (#"URI="a?b=c",X="y""#, #"URI="a?…",X="y""#),
        ("http://me:secret@host/x@y", "http://…@host/x@y"),
        ("http://a@b@host", "http://…@host"),
        ("the token abcdef123 is in it", "the token … is in it"),
        ("Bearer header-token", "…"),
        ("header-token", "…"),
        ("pass-word of user-name", "… of …"),
        ("", ""),
    ])
    func text_hasNoSecret(text: String, expected: String) {
        #expect(Self.redaction.text(text) == expected)
    }

    /// Whatever address they belong to.
    @Test func secretsOfBackupAndProxy_areLeftOutToo() {
        var settings = ChannelSettings(id: "one", url: "https://cdn.example/a.m3u8")
        settings.backup = "https://backup.example/a.m3u8?key=of-the-backup"
        settings.connection.proxy = "http://proxy-user:proxy-word@proxy.example:3128"
        let text = Redaction(settings).text("of-the-backup, proxy-user and proxy-word")
        #expect(text == "…, … and …")
    }

    @Test func playlist_hasNoQueryAndNoVariable() {
        let playlist = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="a",VALUE="secret"
            #EXT-X-KEY:METHOD=AES-128,URI="https://me:you@keys.example/k?id=1",IV=0x01
            #EXTINF:6.4,
            seg1.ts?token=abcdef123

            """
        #expect(
            Self.redaction.playlist(Array(playlist.utf8)) == """
                #EXTM3U
                #EXT-X-DEFINE:…
                #EXT-X-KEY:METHOD=AES-128,URI="https://…@keys.example/k?…",IV=0x01
                #EXTINF:6.4,
                seg1.ts?…

                """)
    }

    /// A detail may name segments and renditions.
    @Test func findingAndAlert_haveNoQueryInAnyOfTheirTexts() {
        let name = "r1/index.m3u8?sig=1"
        var place = Finding.Place()
        place.rendition = name
        place.segment = "seg1.ts?sig=1"
        let finding = Self.redaction.finding(
            Finding(status: .fail, place: place, detail: "not the tags of \(name)"))
        #expect(finding.place.rendition == "r1/index.m3u8?…" && finding.place.segment == "seg1.ts?…")
        #expect(finding.detail == "not the tags of r1/index.m3u8?…")
        let alert = Self.redaction.alert(
            Alert(
                scope: .channel("one"), check: .renditionTagsDiffer, since: 1, severity: .fail,
                detail: "not the tags of \(name)"))
        #expect(alert.detail == finding.detail && alert.id == "one/rendition.tags-differ/1000")
    }

    /// As a CDN signs them: the multivariant playlist, media playlists, segments, each with a query of its own, and one
    /// that hands on the channel's.
    @Test func queriesOfAddresses_areInNothingThatIsTold_andThatOfTheChannelIsInNoTag() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 60s for 12s channel 1: status 404 segment",
            renditions: [
                .init(name: "r0", video: .smallest),
                .init(name: "r1", video: .smallest, carriesTags: false),
            ], playlistCount: 2,
            readdress: { target, _ in String(target.prefix { $0 != "?" }) },
            rewrite: { playlist, _, _ in
                playlist.split(separator: "\n").map { line in
                    line.hasPrefix("#") ? "\(line)" : "\(line)?sig=of-this-address&for=of-the-channel"
                }.joined(separator: "\n") + "\n"
            })
        var channel = station.channels(1...1)[0]
        channel.rendition = .chosen(.all)
        channel.url += "?sig=of-the-channel"
        var told: [String] = []
        var tags: [String] = []
        _ = try await station.monitor([channel], for: 150) { monitor, seconds in
            guard seconds == 149, let details = monitor.details(of: "ch1") else { return }
            var writer = JSONWriter()
            details.write(to: &writer)
            tags.append(String(decoding: writer.bytes, as: UTF8.self))
            let page = ChannelPage(details: details, now: station.clock.unixMilliseconds).answer
            told.append(String(decoding: page.body, as: UTF8.self))
            told.append(String(decoding: monitor.metricsText(bufferFolder: station.directory), as: UTF8.self))
        }
        for event in station.events {
            var writer = JSONWriter()
            event.writeLine(to: &writer)
            let line = String(decoding: writer.bytes, as: UTF8.self)
            if case .tag = event.kind { tags.append(line) } else { told.append(line) }
        }
        told += station.notes
        told.append(try String(contentsOfFile: "\(station.directory)/alerts.json", encoding: .utf8))
        #expect(told.count > 5 && tags.count > 10)
        #expect(station.targets.contains { $0.contains("of-the-channel") })
        #expect(station.targets.contains { $0.contains("of-this-address") && $0.contains(".ts") })
        // Names are in them.
        for name in [".ts?…", "r0/index.m3u8?…", "r1/index.m3u8?…"] {
            #expect(told.contains { $0.contains("segment.http") && $0.contains(name) })
        }
        for text in told { #expect(!text.contains("of-this-address"), "\(text)") }
        for text in told + tags { #expect(!text.contains("of-the-channel"), "\(text)") }
        // A segment is named as its playlist names it.
        #expect(tags.contains { $0.contains(".ts?sig=of-this-address&for=…") })
        // Nothing but its tags has it in the object of a channel.
        let object = try #require(tags.first).split(separator: "\"last_findings\"")
        #expect(object.count == 2 && !object[1].contains("of-this-address"))
    }

    /// A secret in any place of a text, also over what else is left out.
    @Test func secret_isFoundWhereverItStands() {
        for before in ["", "a", "?", "://", "@", "\n", "ab\u{301}"] {
            for after in ["", "z", "?x", "@host", "\"", " "] {
                #expect(!Self.redaction.text("\(before)header-token\(after)").contains("header-token"))
            }
        }
    }
}
