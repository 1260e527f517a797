import NielsenID3

@testable import StreamHealth

/// All checks as one document: the content of docs/checks.md.
enum CheckReference {
    /// The document in Markdown: a table of the checks, their explanations in order, and the limits.
    static var markdown: String {
        var text = """
            # The checks

            `dtvr check` and `dtvr monitor` run these checks on a stream of tags, without a decryption key. Each
            check ends as `pass`, `warn`, `fail`, or `not-run` with the reason. A check without input is
            `not-run`, never `pass`. `dtvr check --explain ID` prints the section of one check. This page is
            generated from the same texts. To update it, run
            `DTVR_UPDATE_DOCS=1 swift test --filter CheckReferenceTests`.

            The clock `pts` is the presentation time of the stream. `tag` is the first and last times in the
            tags, in whole seconds. `both` compares the two. `wall` is the wall clock.

            | id | problem | worst | clock | when to act |
            | --- | --- | --- | --- | --- |

            """
        text += rows(CheckRegistry.declarations)
        text += """

            These checks cover the delivery of a live channel. They run in the monitor only; a verdict of
            `dtvr check` has no row for them:

            | id | problem | worst | clock | when to act |
            | --- | --- | --- | --- | --- |

            """
        text += rows(CheckRegistry.liveDeclarations)
        var heading: Substring?
        for check in CheckRegistry.declarations + CheckRegistry.liveDeclarations {
            let prefix = check.id.rawValue.prefix { $0 != "." }
            if prefix != heading {
                heading = prefix
                text += "\n## \(prefix)\n"
            }
            text += "\n" + check.markdown
        }
        return text + limits + rules
    }

    private static var rules: String {
        """

        <a id="rules"></a>

        ## Rules

        Notes on standard error and the findings of `id3.malformed` name the rule that bytes or a line
        break. The tags that are not affected are read. `dtvr check --explain ID` prints these texts too.

        | id | meaning |
        | --- | --- |

        """ + ReportedRule.all.map(\.markdown).joined()
    }

    private static func rows(_ checks: [CheckDeclaration]) -> String {
        checks.map { check in
            let id = check.id.rawValue
            return "| [`\(id)`](#\(id)) | \(check.title) | \(check.worst.rawValue) | "
                + "\(check.clock?.rawValue ?? "–") | \(check.urgency) |\n"
        }
        .joined()
    }

    private static var limits: String {
        var text = """

            <a id="limits"></a>

            ## Limits

            Each limit has a key in the configuration file, and a flag and an environment variable of the same
            name: `limit-gap = 12`, `--limit-gap 12`, `DTVR_LIMIT_GAP=12`.

            | key | default | unit | purpose |
            | --- | --: | --- | --- |

            """
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            text += "| `\(limit.name)` | \(ExplanationLines.text(limit.defaultValue)) | \(limit.unit) | "
            text += "\(limit.help) |\n"
        }
        return text
    }
}

extension CheckDeclaration {
    /// The explanation as a Markdown section, with the check id as its anchor and the default limits.
    ///
    /// Its lines have at most 100 characters. The text ends with a newline.
    fileprivate var markdown: String {
        var paragraphs = ["**\(title).** \(severity)"] + parts.map { "*\($0.heading).* \($0.text)" }
        if !limits.isEmpty {
            let list = limits.map {
                "`\($0.name)` (\(ExplanationLines.text($0.defaultValue)) \($0.unit))"
            }
            paragraphs.append("*Limits.* \(list.joined(separator: ", "))")
        }
        var lines = ["<a id=\"\(id.rawValue)\"></a>", "", "### `\(id.rawValue)`"]
        for paragraph in paragraphs {
            lines += [""] + ExplanationLines.wrapped(paragraph, width: 100, indent: 0)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ReportedRule {
    /// A row of the table in docs/checks.md.
    fileprivate var markdown: String { "| <a id=\"\(id)\"></a>`\(id)` | \(explanation) |\n" }
}
