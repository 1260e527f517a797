import HTTPServing
import ID3v2
import NielsenID3
import Reporting
import StreamHealth
import TextForms

/// The page of one channel: its state and the reason, its alerts, plots of the last hour, recent findings and tags.
struct ChannelPage {
    let details: ChannelDetails
    /// The current time in Unix milliseconds.
    let now: Int64
    /// The documentation that the names of checks link to.
    var documentation = CheckDocumentation(prefix: "../checks/")
    /// Whether people can acknowledge and mute alerts.
    var allowsChanges = false

    private var channel: ChannelSnapshot { details.snapshot }

    /// The page, which its script reloads every few seconds.
    var answer: HTTPServerAnswer {
        MonitorPage(
            title: "\(channel.state.rawValue): \(channel.name) – \(MonitorPage.name)",
            style: PageStyle.plots + PackageResources.channelCSS,
            script: PlotScript.code + PackageResources.channelJS, handlingAt: allowsChanges ? "../" : nil
        ).answer { html in
            html.element("header", ["class": "top"]) { html in
                html.element("h1") { $0.element("a", ["href": "../"], MonitorPage.name) }
                let time = clock(WallTime(unixMilliseconds: now))
                html.element("p", ["class": "contact live", "id": "contact"], "as of \(time) UTC")
            }
            PlotSymbols.write(to: &html)
            html.element("main", ["id": "main"]) { html in
                writeState(to: &html)
                writeAddress(to: &html)
                writeCollector(to: &html)
                writeMutedChecks(to: &html)
                writeMutes(to: &html)
                writeAlerts(to: &html)
                html.element("section") { html in
                    html.element("h2", "The last hour")
                    if details.tracks.isEmpty {
                        html.element("p", ["class": "lead"], "Nothing read yet.")
                    }
                    LivePlots.write(
                        details.tracks, policy: details.record.health.policy,
                        now: WallTime(unixMilliseconds: now),
                        to: &html)
                }
                writeFindings(to: &html)
                writeTags(to: &html)
            }
        }
    }

    // MARK: State

    private func writeState(to html: inout HTMLWriter) {
        html.element("header", ["class": "state"]) { html in
            html.element("h2") { html in
                MonitorPage.writeMark(of: channel.state, to: &html)
                html.element("bdi", channel.name)
                html.element("span", ["class": "word"], channel.state.rawValue)
            }
            let since = channel.stateTime > 0 ? "For \(age(channel.stateTime))" : "Not checked yet"
            html.element("p") { html in
                html.text(channel.reason.isEmpty || channel.state == .healthy ? "\(since)." : "\(since): ")
                if channel.state != .healthy { html.element("bdi", channel.reason) }
            }
        }
        if let backup = channel.backup {
            html.element("p", ["class": "address"]) { html in
                html.text("On the backup for \(age(backup.since)) because ")
                html.element("bdi", backup.reason)
                html.text(".")
            }
        }
        html.element("dl", ["class": "numbers"]) { html in
            for (name, value) in numbers {
                html.element("div") { html in
                    html.element("dt", name)
                    html.element("dd", value)
                }
            }
        }
    }

    private func writeAddress(to html: inout HTMLWriter) {
        guard !details.address.isEmpty else { return }
        html.element("p", ["class": "address"]) { html in
            html.text("Address: ")
            html.element("code", details.address)
            guard !details.renditions.isEmpty else { return }
            html.text(" Rendition: ")
            html.element("code", details.renditions.joined(separator: " "))
        }
    }

    private func writeCollector(to html: inout HTMLWriter) {
        html.element("p", ["class": "address"]) { html in
            html.text("Collector: ")
            html.element("bdi", details.collectorText(now: now))
        }
    }

    /// The muted checks, as a sentence for each kind.
    private func writeMutedChecks(to html: inout HTMLWriter) {
        for (word, checks) in [
            ("Ignored, not checked", details.muted.ignored),
            ("Accepted, without alerts", details.muted.accepted),
        ] where !checks.isEmpty {
            html.element("p", ["class": "muted"]) { html in
                html.text("\(word): ")
                html.element("code", checks.map(\.rawValue).sorted().joined(separator: " "))
            }
        }
    }

    /// The mutes of the channel by people, and the button for another one.
    private func writeMutes(to html: inout HTMLWriter) {
        for mute in details.handling.mutes where mute.channel == channel.id {
            html.element("p", ["class": "muted by"]) { html in
                html.text("Muted: ")
                html.element("code", mute.check ?? "all checks")
                html.text(" by ")
                html.element("bdi", mute.attribution.by)
                html.text(" until \(ending(mute.attribution)), no alerts are sent. ")
                if allowsChanges {
                    html.element(
                        "button",
                        ["type": "button", "class": "act", "data-act": "unmute", "data-mute": "\(mute.id)"],
                        "End")
                }
            }
        }
        guard allowsChanges else { return }
        html.element("p") { html in
            MonitorPage.writeButton(
                "Mute this channel", act: "mute", channel: channel.id, subject: channel.name, to: &html)
        }
    }

    /// Writes who acknowledged an alert, and the buttons for it.
    private func writeHandling(of alert: Alert, to html: inout HTMLWriter) {
        if let attribution = details.handling.acknowledgments[alert.id] {
            html.element("p", ["class": "evidence"]) { html in
                html.text("Acknowledged by ")
                html.element("bdi", attribution.by)
                html.text(" until \(ending(attribution))")
            }
        }
        guard allowsChanges else { return }
        let subject = "\(channel.name): \(alert.check.rawValue)"
        html.element("p", ["class": "evidence"]) { html in
            MonitorPage.writeButton(
                "Acknowledge", act: "acknowledge", alert: alert, channel: channel.id, subject: subject,
                to: &html)
            MonitorPage.writeButton(
                "Mute", act: "mute", alert: alert, channel: channel.id, subject: subject, to: &html)
        }
    }

    private func ending(_ attribution: AlertHandling.Attribution) -> String {
        "\(RFC3339.tableText(unixSeconds: attribution.until / 1_000).dropLast(3)) UTC"
    }

    private var numbers: [(String, String)] {
        func seconds(_ value: Double?) -> String {
            value.map { "\(DecimalText.short(($0 * 10).rounded() / 10)) s" } ?? "–"
        }
        return [
            ("Last tag", channel.lastTagTime.map { "\(age($0)) ago" } ?? "none yet"),
            ("Spacing", seconds(channel.spacing)), ("Behind live", seconds(channel.secondsBehindLive)),
            ("Tags", grouped(channel.tagCount)), ("Findings", grouped(channel.problemCount)),
            ("Segments read", grouped(channel.segmentCount)),
            ("Segments failed", grouped(channel.failedSegmentCount)),
        ]
    }

    private func writeAlerts(to html: inout HTMLWriter) {
        guard !details.alerts.isEmpty else { return }
        html.element("section", ["class": "alerts"]) { html in
            html.element("h2", "Active alerts")
            html.element("ol") { html in
                for alert in details.alerts {
                    html.element("li", ["class": alert.severity.rawValue]) { html in
                        writeSign(of: alert.severity, to: &html)
                        html.element("time", "\(age(max(0, alert.since))) ago")
                        writeLink(to: alert.check, in: &html)
                        html.element("bdi", ["class": "what"], alert.detail)
                        writeConsequences(of: alert, to: &html)
                        writeEvidence(of: alert, to: &html)
                        writeHandling(of: alert, to: &html)
                    }
                }
            }
        }
    }

    /// Writes the problems that follow from an alert.
    private func writeConsequences(of alert: Alert, to html: inout HTMLWriter) {
        for consequence in alert.consequences {
            html.element("p", ["class": "evidence"]) { html in
                html.text("Hence ")
                writeLink(to: consequence.check, in: &html)
                html.element("bdi", ["class": "what"], ": \(consequence.detail)")
            }
        }
    }

    /// Writes the command that reads the evidence of an alert.
    private func writeEvidence(of alert: Alert, to html: inout HTMLWriter) {
        guard let folder = details.evidence[alert.id] else { return }
        html.element("p", ["class": "evidence"]) { html in
            html.text("Evidence: ")
            html.element("code", "dtvr check \(folder)/index.m3u8")
        }
    }

    /// Writes the name of a check as a link to its explanation.
    private func writeLink(to check: CheckID, in html: inout HTMLWriter) {
        html.element("code") { html in
            html.element(
                "a", ["href": documentation.address(of: check), "title": check.declaration?.title ?? ""],
                check.rawValue)
        }
    }

    // MARK: Findings and tags

    private func writeFindings(to html: inout HTMLWriter) {
        html.element("section") { html in
            html.element("h2", "Last findings")
            guard !details.episodes.isEmpty else {
                html.element("p", ["class": "lead"], "None.")
                return
            }
            html.element("ol", ["class": "found"]) { html in
                for group in details.episodes.reversed() { write(group, to: &html) }
            }
        }
    }

    private func write(_ group: FindingGroup, to html: inout HTMLWriter) {
        let example = group.example
        html.element("li", ["class": example.status.rawValue]) { html in
            writeSign(of: example.status, to: &html)
            html.element("time", group.lastTime.map(recent) ?? "")
            writeLink(to: group.check, in: &html)
            html.element("bdi", example.detail)
            let place = VerdictText.place(example.place).joined(separator: " · ")
            guard group.count > 1 || !place.isEmpty else { return }
            html.element("p", ["class": "times"]) { html in
                if group.count > 1, let first = group.firstTime {
                    html.text("\(DecimalText.grouped(group.count)) times, first \(recent(first))")
                    if !place.isEmpty { html.text("; last ") }
                }
                html.element("bdi", place)
            }
        }
    }

    private func writeTags(to html: inout HTMLWriter) {
        html.element("section") { html in
            html.element("h2", "Last tags")
            guard !details.record.lastTags.isEmpty else {
                html.element("p", ["class": "lead"], "None.")
                return
            }
            html.element(
                "div", ["class": "table", "tabindex": "0", "role": "region", "aria-label": "Last tags"]
            ) { html in
                html.element("table") { html in
                    html.element("thead") { html in
                        html.element("tr") { html in
                            for heading in [
                                "Read", "Kind", "Sequence", "First time", "PC CID", "FD CID", "Problems",
                            ] {
                                html.element("th", ["scope": "col"], heading)
                            }
                        }
                    }
                    html.element("tbody") { html in
                        for read in details.record.lastTags.reversed() { writeRow(of: read, to: &html) }
                    }
                }
            }
        }
    }

    private func writeRow(of read: (time: WallTime, tag: TagOccurrence), to html: inout HTMLWriter) {
        let tag = read.tag.tag
        let sequence: String = tag.sequence.map { String($0) } ?? "–"
        let firstTime: String = tag.firstTime.map { RFC3339.tableText(unixSeconds: Int64($0)) } ?? "–"
        let problems: String = read.tag.problems.map(\.rawValue).joined(separator: " ")
        let cells: [String] = [
            clock(read.time), kind(of: read.tag), sequence, firstTime, tag.pcCID?.text ?? "–",
            tag.fdCID?.text ?? "–", problems,
        ]
        html.element("tr") { html in
            for cell in cells { html.element("td", cell) }
        }
    }

    private func kind(of tag: TagOccurrence) -> String {
        if tag.isTruncated { return "truncated" }
        return switch tag.tag.kind {
        case .data: "DATA"
        case .info: "INFO"
        case .unknown: "unknown"
        case nil: "unreadable"
        }
    }

    private func writeSign(of status: CheckStatus, to html: inout HTMLWriter) {
        html.element(
            "span", ["class": "sign", "role": "img", "aria-label": status.word], status.sign)
    }

    // MARK: Numbers and times

    private func grouped(_ count: UInt64) -> String { DecimalText.grouped(Int(clamping: count)) }

    private func clock(_ time: WallTime) -> String {
        RFC3339.clockText(unixSeconds: max(0, time.unixMilliseconds) / 1_000)
    }

    /// Returns the time of day, or for a time on an earlier day its age.
    private func recent(_ time: WallTime) -> String {
        now - time.unixMilliseconds < 86_400_000 ? clock(time) : "\(age(time.unixMilliseconds)) ago"
    }

    private func age(_ time: Int64) -> String {
        let seconds = max(0, now - time) / 1_000
        return switch seconds {
        case ..<100: "\(seconds) s"
        case ..<6_000: "\((seconds + 30) / 60) min"
        case ..<172_800: "\((seconds + 1_800) / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
