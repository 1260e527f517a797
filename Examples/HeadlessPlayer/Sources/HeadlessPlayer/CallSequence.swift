/// The call sequences of the public guides.
enum CallSequence: String {
    /// A content asset from start to end, with tags that are read ahead.
    case content
    /// Ads before, during and after the content.
    case ads
    /// An interruption of the content, which then resumes.
    case interruption
    /// A change of channel.
    case channels
    /// A move of the app to the background and back.
    case background
    /// A seek forward by 40 s.
    case seek
    /// An opt-out, and its end.
    case optOut
    /// A launch without a network, and a second one that delivers what the first stored.
    case offline

    /// An action, due once a fraction (`part`, 0 to 1) of the stream was played.
    struct Step {
        let part: Double
        let act: @Sendable (inout Player) -> Void

        init(_ part: Double, _ act: @escaping @Sendable (inout Player) -> Void) {
            self.part = part
            self.act = act
        }
    }

    /// The seconds from passing a tag to the session to its presentation.
    var lookahead: Double { self == .content ? 10 : 0 }

    /// The steps of the sequence, in order.
    var steps: [Step] {
        let begin = Step(0) { player in
            player.play("Harbour TV")
            player.content()
        }
        return switch self {
        case .content, .offline: [begin]
        case .ads:
            [
                Step(0) { player in
                    player.play("Harbour TV")
                    // The content comes first, also before a preroll.
                    player.content()
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
                // The other form, without a call of `play`.
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
        case .seek: [begin, Step(0.4) { $0.seek(by: 40) }]
        case .optOut:
            [
                begin,
                Step(0.4) { $0.session.userOptOut("nielsenappsdk://1") },
                // A change of the choice begins a viewing session, in which the asset continues.
                Step(0.7) { $0.session.userOptOut("nielsenappsdk://0") },
            ]
        }
    }
}
