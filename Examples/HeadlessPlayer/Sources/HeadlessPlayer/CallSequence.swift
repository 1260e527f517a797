/// The sequences of calls that the guides describe.
enum CallSequence: String {
    /// A content from its beginning to its end, its tags read ahead.
    case content
    /// Advertisements before, in and after a content.
    case ads
    /// The content is interrupted, and goes on.
    case interruption
    /// Another channel is chosen.
    case channels
    /// The app goes to the background, and comes back.
    case background

    /// What happens once that part of the stream is played.
    struct Step {
        let part: Double
        let act: @Sendable (inout Player) -> Void

        init(_ part: Double, _ act: @escaping @Sendable (inout Player) -> Void) {
            self.part = part
            self.act = act
        }
    }

    /// How many seconds before they are presented tags are handed over.
    var lookahead: Double { self == .content ? 10 : 0 }

    /// What happens, in order.
    var steps: [Step] {
        let begin = Step(0) { player in
            player.play("Harbour TV")
            player.content()
        }
        return switch self {
        case .content: [begin]
        case .ads:
            [
                Step(0) { player in
                    player.play("Harbour TV")
                    player.ad("preroll", "AD1")
                },
                Step(0.15) { $0.content() },
                Step(0.5) { $0.ad("midroll", "AD2") },
                Step(0.65) { $0.content() },
                Step(0.85) { player in
                    player.end()
                    player.ad("postroll", "AD3")
                },
            ]
        case .interruption:
            [
                begin,
                Step(0.3) { player in
                    player.interrupt()
                    player.play("Harbour TV")
                    player.resume()
                },
                // The other form: without a call of `play`.
                Step(0.6) { player in
                    player.interrupt()
                    player.resume()
                },
            ]
        case .channels:
            [
                begin,
                Step(0.5) { player in
                    player.end()
                    player.play("Lighthouse One")
                    player.content("LIGHT0101")
                },
            ]
        case .background:
            [
                begin,
                Step(0.5) { player in
                    player.session.appInBackground()
                    player.session.appInForeground()
                    player.resume()
                },
            ]
        }
    }
}
