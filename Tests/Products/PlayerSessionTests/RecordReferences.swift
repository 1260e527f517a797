import Foundation

/// The rules for references between the records of sessions, in the order in which a collector receives them.
enum RecordReferences {
    /// Returns the violations: a reference to an app or an asset without an earlier record of it, an unknown kind, a
    /// duplicate app, or a duplicate id.
    static func objections(_ records: [[String: Any]]) -> [String] {
        var apps: Set<String> = []
        var plays: Set<String> = []
        var ids: Set<String> = []
        var objections: [String] = []
        for (index, record) in records.enumerated() {
            let kind = record["owner"] == nil ? record["kind"] as? String ?? "none" : "tag"
            if !ids.insert(record["id"] as? String ?? "").inserted {
                objections.append("\(index): an id twice")
            }
            let app = record["app_session"] as? String
            let play = record["asset_play"] as? String
            switch kind {
            case "app":
                if !apps.insert(app ?? "").inserted { objections.append("\(index): an app session twice") }
            case "asset":
                plays.insert((record["session"] as? String ?? "") + "/" + (play ?? ""))
            case "tag", "session", "run": break
            default: objections.append("\(index): \(kind)")
            }
            if let app, !apps.contains(app) { objections.append("\(index): \(kind) before its app") }
            if let play, !plays.contains((record["session"] as? String ?? "") + "/" + play) {
                objections.append("\(index): \(kind) before its asset")
            }
        }
        return objections
    }
}
