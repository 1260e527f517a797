import NielsenID3
import PlayerSession
import StreamHealth

/// `start.app-keys`: the information of the app has the keys that the market requires.
struct StartAppKeys: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("start.app-keys"), worst: .fail,
        notRun: "The log has no init: record it from the start of the app.",
        expectation: "The information of the app has the keys that the market requires",
        title: "The information of the app is incomplete",
        meaning: """
            The name and the version of the app tell a broadcaster which release a problem comes from, and the \
            collection facility decides where data goes.
            """,
        appearance: """
            The finding `key.missing` of the call `init`, or of the first call after it.
            """,
        cause: """
            A key of another market, or an empty value.
            """,
        action: """
            Add the key to the information of the app; the guide of the market lists them.
            """,
        source: "guide 001, SDK Initialization; guide 002, 3.2; guide 003, SDK Initialization")

    static let isOfMarket = true

    static let sentences = [
        "key.missing": "a key is missing that the market requires in the information of the app",
        "value.type": "a value in the information of the app has the wrong type",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.name == .initialize || call.result.details.contains(where: \.isOfApp)
    }

    static func judges(_ finding: PlayerFinding) -> Bool { finding.isOfApp }
}
