import Foundation
import TestSupport

extension TemporaryFolder {
    /// The records that a collector has kept in a folder of it, in their order.
    func records(of name: String) throws -> [[String: Any]] {
        let folder = path + "/" + name
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return try files.filter { $0.hasPrefix("tags-") }.flatMap { file in
            try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n")
                .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        }
    }
}
