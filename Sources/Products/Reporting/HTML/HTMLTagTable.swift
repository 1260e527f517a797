import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// The table of tags: its first page as static HTML, and the controls for the script.
struct HTMLTagTable {
    /// The number of tags on a page of the table.
    static let pageLength = 100

    /// The columns: the sort key for the script, the heading, and whether it contains numbers.
    private static let allColumns: [(key: String, heading: String, isNumber: Bool)] = [
        ("rendition", "Rendition", true), ("index", "#", true), ("position", "Media time", true),
        ("seconds", "Stream clock", true),
        ("kind", "Kind", false), ("sequence", "Sequence", true), ("first", "First time (UTC)", false),
        ("span", "Span", true), ("pc", "PC CID", false), ("fd", "FD CID", false),
        ("segment", "Segment", false), ("problems", "Problems", false),
    ]

    /// The visible columns; with a single rendition, the rendition column is omitted.
    private var columns: ArraySlice<(key: String, heading: String, isNumber: Bool)> {
        tracks.count > 1 ? Self.allColumns[...] : Self.allColumns.dropFirst()
    }

    let tracks: [RenditionTrack]
    /// The index of the input on the page.
    let input: Int

    func write(to html: inout HTMLWriter) {
        let kept = tracks.reduce(0) { $0 + $1.tags.count }
        let all = tracks.reduce(0) { $0 + $1.tagCount }
        html.element("section", ["class": "tags", "id": "tags-\(input)", "data-input": String(input)]) {
            html in
            html.element("h2", "Tags")
            if all > kept {
                html.element(
                    "p", ["class": "lead"],
                    "The first \(DecimalText.grouped(kept)) of \(DecimalText.grouped(all)) tags are listed.")
            }
            writeControls(to: &html)
            let first = tracks.first
            let shown = min(Self.pageLength, first?.tags.count ?? 0)
            html.element(
                "p", ["class": "matches", "role": "status"],
                shown == kept
                    ? DecimalText.groupedCount(kept, "tag")
                    : "\(shown) of \(DecimalText.groupedCount(kept, "tag")); enable JavaScript to list the others"
            )
            html.element(
                "div",
                ["class": "table", "tabindex": "0", "role": "region", "aria-label": "Table of tags"]
            ) { html in
                html.element("table") { html in
                    writeHeading(to: &html)
                    html.element("tbody") { html in
                        guard let first else { return }
                        for index in 0..<shown { writeRow(of: first, index, to: &html) }
                    }
                }
            }
            html.element("p", ["class": "left-out"], kept > shown ? Self.leftOut(kept - shown) : "")
            html.markup("<nav class=\"pages\" aria-label=\"Pages of the table\" hidden></nav>")
        }
    }

    /// Returns the note about rows omitted in print; the script uses the same wording for its current page.
    private static func leftOut(_ count: Int) -> String {
        "Not printed: \(DecimalText.groupedCount(count, "row")) of this table."
    }

    private func writeControls(to html: inout HTMLWriter) {
        html.element("form", ["class": "controls", "role": "search", "hidden": "hidden"]) { html in
            html.element("label") { html in
                html.text("Search")
                html.open(
                    "input",
                    [
                        "type": "search", "name": "q", "placeholder": "sequence, segment, CID, time",
                        "autocomplete": "off", "spellcheck": "false",
                    ])
            }
            select("kind", "Kind", [("", "All kinds")], to: &html) { html in
                let present = Set(tracks.flatMap { $0.tags.map(\.kind) })
                for kind in TrackedTag.Kind.allCases where present.contains(kind) {
                    html.element("option", ["value": kind.word], kind.word)
                }
            }
            select(
                "problem", "Problem",
                [("", "All tags"), ("any", "Any problem"), ("none", "None")], to: &html
            ) { html in
                var present = CheckSet()
                for track in tracks { for tag in track.tags { present.formUnion(tag.problems) } }
                for check in present.checks {
                    html.element("option", ["value": check.rawValue], check.rawValue)
                }
            }
            if tracks.count > 1 {
                select("rendition", "Rendition", [("", "All renditions")], to: &html) { html in
                    for (index, track) in tracks.enumerated() {
                        html.element(
                            "option", ["value": String(index)], track.name ?? "rendition \(index + 1)")
                    }
                }
            }
            select("cids", "CIDs", [("", "Short"), ("full", "Full")], to: &html) { _ in }
            html.markup("<button type=\"reset\">Clear</button>")
        }
    }

    private func select(
        _ name: String, _ label: String, _ options: [(value: String, text: String)],
        to html: inout HTMLWriter, more: (inout HTMLWriter) -> Void
    ) {
        html.element("label") { html in
            html.text(label)
            html.element("select", ["name": name]) { html in
                for option in options { html.element("option", ["value": option.value], option.text) }
                more(&html)
            }
        }
    }

    private func writeHeading(to html: inout HTMLWriter) {
        html.element("thead") { html in
            html.element("tr") { html in
                for column in columns {
                    html.element(
                        "th",
                        ["scope": "col", "data-key": column.key, "class": column.isNumber ? "number" : nil]
                    ) { html in
                        html.element("button", ["type": "button", "disabled": "disabled"], column.heading)
                    }
                }
            }
        }
    }

    private func writeRow(of track: RenditionTrack, _ index: Int, to html: inout HTMLWriter) {
        let tag = track.tags[index]
        let severity = tag.severity == .fail ? "fail" : tag.severity == .warn ? "warn" : nil
        html.element("tr", ["class": severity]) { html in
            for column in columns {
                html.element(
                    "td", ["class": column.isNumber ? "number" : nil, "data-label": column.heading]
                ) { html in
                    html.text(Self.cell(column.key, of: tag, at: index, in: track))
                }
            }
        }
    }

    private static func cell(
        _ key: String, of tag: TrackedTag, at index: Int, in track: RenditionTrack
    ) -> String {
        switch key {
        // The static rows all belong to the first rendition.
        case "rendition": "1"
        case "index": String(index + 1)
        case "position": DecimalText.clock(tag.position)
        case "seconds": tag.seconds.map { DecimalText.fixed($0, decimals: 3) } ?? "–"
        case "kind": tag.kind.word
        case "sequence": tag.sequence.map { String($0) } ?? "–"
        case "first": tag.firstTime.map { RFC3339.tableText(unixSeconds: Int64($0)) } ?? "–"
        case "span": span(of: tag)
        case "pc": contentID(tag.pcCID, in: track)
        case "fd": contentID(tag.fdCID, in: track)
        case "segment": tag.segment.map { track.segmentNames[Int($0)] } ?? "–"
        default: tag.problems.checks.map(\.rawValue).joined(separator: " ")
        }
    }

    private static func span(of tag: TrackedTag) -> String {
        guard let first = tag.firstTime, let last = tag.lastTime else { return "–" }
        return "\(Int64(last) - Int64(first)) s"
    }

    private static func contentID(_ index: Int32?, in track: RenditionTrack) -> String {
        guard let index else { return "–" }
        let id = track.contentIDs[Int(index)]
        return id.isNull ? "none" : id.text.prefix(8) + "…"
    }
}
