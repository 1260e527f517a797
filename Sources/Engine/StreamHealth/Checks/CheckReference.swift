import NielsenID3

/// All checks as one document: what stands in docs/checks.md.
package enum CheckReference {
    /// The document in Markdown: a table of the checks, their explanations in order, and the limits.
    package static var markdown: String {
        var text = """
            # The checks

            What `dtvr check` and `dtvr monitor` check in a stream of tags, without any key. A check ends as `pass`,
            `warn`, `fail`, or `not-run` with the reason; with nothing to look at it is `not-run`, never `pass`.
            `dtvr check --explain ID` prints what is said here about one check. This page is made from the same
            texts: `DTVR_UPDATE_DOCS=1 swift test --filter CheckReferenceTests` writes it anew.

            Clock `pts` is that of the stream, `tag` that of the tags' own first and last times in whole seconds, `both`
            the one against the other, `wall` that on the wall.

            | id | what is wrong | worst | clock |
            | --- | --- | --- | --- |

            """
        text += rows(CheckRegistry.declarations)
        text += """

            In the monitor only, of how a live channel is delivered; a verdict of `dtvr check` has no row for them:

            | id | what is wrong | worst | clock |
            | --- | --- | --- | --- |

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
        return text + limits
    }

    private static func rows(_ checks: [CheckDeclaration]) -> String {
        checks.map { check in
            let id = check.id.rawValue
            return "| [`\(id)`](#\(id)) | \(check.title) | \(check.worst.rawValue) | "
                + "\(check.clock?.rawValue ?? "–") |\n"
        }
        .joined()
    }

    private static var limits: String {
        var text = """

            <a id="limits"></a>

            ## Limits

            Each has a key in the configuration file, and a flag and an environment variable of the same name:
            `limit-gap = 12`, `--limit-gap 12`, `DTVR_LIMIT_GAP=12`.

            | key | default | unit | what for |
            | --- | --: | --- | --- |

            """
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            text += "| `\(limit.name)` | \(ExplanationLines.text(limit.defaultValue)) | \(limit.unit) | "
            text += "\(limit.help) |\n"
        }
        return text
    }
}
