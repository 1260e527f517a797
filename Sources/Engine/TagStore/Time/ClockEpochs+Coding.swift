internal import FoundationEssentials

/// The epochs as the buffer keeps them: a list in JSON.
///
/// Earlier releases wrote a line an epoch, `number offset firstSequence trustedOffset bootID`, which is still read.
extension ClockEpochs {
    /// The epochs as bytes.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return [UInt8](try encoder.encode(epochs))
        } catch {
            // Numbers and texts can always be written. Without the list ages are unknown, and nothing expires.
            return []
        }
    }

    /// The epochs of those bytes; what is damaged is left out.
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
