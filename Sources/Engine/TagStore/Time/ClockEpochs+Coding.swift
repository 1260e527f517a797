internal import FoundationEssentials

/// The encoding of epochs as a JSON list for the database.
///
/// Earlier releases wrote one line per epoch, `number offset firstSequence trustedOffset bootID`, which is still
/// readable.
extension ClockEpochs {
    /// The encoded epochs.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return [UInt8](try encoder.encode(epochs))
        } catch {
            // Encoding numbers and strings does not fail. Without the list, ages are unknown and nothing expires.
            return []
        }
    }

    /// Decodes epochs and skips damaged entries.
    init(encoded bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "[") else {
            self.init(lines: String(decoding: bytes, as: UTF8.self))
            return
        }
        do {
            self.init(try JSONDecoder().decode([Epoch].self, from: Data(bytes)))
        } catch {
            self.init()
        }
    }

    private init(lines text: String) {
        var epochs: [Epoch] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
            guard parts.count == 5, let number = Int64(parts[0]), let offset = Int64(parts[1]),
                let firstSequence = Int64(parts[2])
            else { continue }
            epochs.append(
                Epoch(
                    number: number, bootID: String(parts[4]), offset: offset, firstSequence: firstSequence,
                    trustedOffset: Int64(parts[3])))
        }
        self.init(epochs)
    }
}
