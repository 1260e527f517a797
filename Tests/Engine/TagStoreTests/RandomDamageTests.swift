import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// Filled stores with random damage in any of their files.
///
/// `DTVR_DAMAGES=10000` damages that many stores instead of 300; `DTVR_SEED` sets another seed.
@Suite(.timeLimit(.minutes(60))) struct RandomDamageTests {
    /// The ways in which a file is damaged.
    enum Kind: CaseIterable {
        case bitFlips
        case truncation
        case zeroedRange
        case pageCopy
        case pageSwap
    }

    /// The damage to a file, with the ranges of bytes that differ from the original.
    private struct Damage {
        let kind: Kind
        let name: String
        let touched: [Range<Int>]
    }

    /// A sample and the locations of its pending tags.
    private struct Target {
        let sample: StoreSample
        /// The file and the byte range that contain each tag: a frame of the log, or a page of the database.
        var places: [TagID: (name: String, bytes: Range<Int>)] = [:]
        /// The page of each tag.
        private var pageNumbers: [TagID: Int] = [:]

        /// Finds every pending tag by its id.
        init(_ sample: StoreSample) throws {
            self.sample = sample
            let directory = try sample.directory()
            let pages = try DatabasePages(
                database: directory.path + "/tags.sqlite", log: directory.path + "/tags.sqlite-wal")
            let ids = Dictionary(uniqueKeysWithValues: sample.waiting.map { ($0.bytes, $0) })
            for number in 1...pages.count {
                guard let page = pages.page(number), let cells = PageCells(page.span, number: number),
                    cells.isTable, number > 1
                else { continue }
                for cell in cells.cells {
                    guard let columns = RecordColumns(page.span.extracting(cell.local)), columns.count == 8,
                        let id = columns.bytes(1)
                    else { continue }
                    let range = cell.local.lowerBound + id.lowerBound..<cell.local.lowerBound + id.upperBound
                    guard let tag = ids[Array(page[range])] else { continue }
                    places[tag] = Self.place(of: number, in: pages)
                    pageNumbers[tag] = number
                }
            }
        }

        private static func place(of number: Int, in pages: DatabasePages) -> (String, Range<Int>) {
            if let offset = pages.log.pageOffsets[number] {
                return ("tags.sqlite-wal", offset - 24..<offset + 4_096)
            }
            return ("tags.sqlite", (number - 1) * 4_096..<number * 4_096)
        }

        /// Returns the tags that no damage has touched.
        ///
        /// If both the database and its log are damaged, the damage must not touch the tag's page in either file.
        func untouched(by damages: [Damage]) -> Set<TagID> {
            func isTouched(_ name: String, _ bytes: Range<Int>) -> Bool {
                damages.contains { $0.name == name && $0.touched.contains { $0.overlaps(bytes) } }
            }
            let areBothDamaged = Set(damages.map(\.name)).isSuperset(of: ["tags.sqlite", "tags.sqlite-wal"])
            return sample.waiting.filter { tag in
                guard let place = places[tag], let number = pageNumbers[tag] else { return false }
                if isTouched(place.name, place.bytes) { return false }
                return !areBothDamaged || !isTouched("tags.sqlite", (number - 1) * 4_096..<number * 4_096)
            }
        }
    }

    /// Damages a file, and returns the ranges of bytes that changed.
    private func damage(
        _ kind: Kind, of name: String, _ bytes: inout [UInt8], using random: inout SplitMix64
    ) -> Damage {
        let before = bytes
        let unit = name == "tags.sqlite-wal" ? StoreBudget.frameByteCount : StoreBudget.pageByteCount
        let start = name == "tags.sqlite-wal" ? 32 : 0
        let unitCount = max(1, (bytes.count - start) / unit)
        func place() -> Range<Int> {
            let first = start + Int(random.next() % UInt64(unitCount)) * unit
            return min(first, before.count)..<min(first + unit, before.count)
        }
        switch kind {
        case .bitFlips:
            for _ in 0...random.next() % 8 {
                let bit = Int(random.next() % UInt64(bytes.count * 8))
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        case .truncation:
            bytes.removeLast(1 + Int(random.next() % UInt64(bytes.count)))
        case .zeroedRange:
            let first = Int(random.next() % UInt64(bytes.count))
            let count = 1 + Int(random.next() % 20_000)
            for index in first..<min(bytes.count, first + count) { bytes[index] = 0 }
        case .pageCopy:
            let (from, to) = (place(), place())
            if from.count == to.count { bytes.replaceSubrange(to, with: before[from]) }
        case .pageSwap:
            let (one, other) = (place(), place())
            if one.count == other.count {
                bytes.replaceSubrange(one, with: before[other])
                bytes.replaceSubrange(other, with: before[one])
            }
        }
        var touched: [Range<Int>] = []
        for index in before.indices where index >= bytes.count || bytes[index] != before[index] {
            if let last = touched.last, last.upperBound == index {
                touched[touched.count - 1] = last.lowerBound..<index + 1
            } else {
                touched.append(index..<index + 1)
            }
        }
        return Damage(kind: kind, name: name, touched: touched)
    }

    @Test func randomDamage_losesOnlyTheTagsItTouches() async throws {
        let count = ProcessInfo.processInfo.environment["DTVR_DAMAGES"].flatMap { Int($0) } ?? 300
        var targets: [Target] = []
        for isClosed in [true, false] {
            for (tagCount, delivered, refused) in [(120, 0, 0), (400, 100, 7)] {
                let sample = try await StoreSample(
                    tagCount: tagCount, delivered: delivered, refused: refused, isClosed: isClosed)
                let target = try Target(sample)
                #expect(Set(target.places.keys) == sample.waiting)
                targets.append(target)
            }
        }
        let seed = ProcessInfo.processInfo.environment["DTVR_SEED"].flatMap { UInt64($0) } ?? 61
        var random = SplitMix64(state: seed)
        var (harmless, saved, lost, kept) = (0, 0, 0, 0)
        var kinds: [Kind: Int] = [:]
        for round in 0..<count {
            let target = targets[Int(random.next() % UInt64(targets.count))]
            let names = target.sample.files.filter { !$0.value.isEmpty && $0.key != "reserve" }.keys.sorted()
            var sample = target.sample
            var damages: [Damage] = []
            // Usually one, and up to three in different files.
            for _ in 0..<[1, 1, 1, 2, 3][Int(random.next() % 5)] {
                // Most data of a store is in the database.
                let name =
                    random.next() % 2 == 0 ? "tags.sqlite" : names[Int(random.next() % UInt64(names.count))]
                guard let kind = Kind.allCases.randomElement(using: &random),
                    !damages.contains(where: { $0.name == name })
                else { continue }
                sample = sample.replacing(name) { bytes in
                    let made = damage(kind, of: name, &bytes, using: &random)
                    if !made.touched.isEmpty { damages.append(made) }
                }
            }
            if damages.isEmpty { continue }
            for damage in damages { kinds[damage.kind, default: 0] += 1 }
            let list = damages.map { "\($0.kind) of \($0.name) at \($0.touched[0].lowerBound)" }
            let what = "round \(round): " + list.joined(separator: ", ")
            let opened = try await sample.open(what)
            let missing = target.untouched(by: damages).subtracting(opened.found)
            #expect(missing.isEmpty, "\(what): \(missing.count)")
            // The number of accepted tags is recorded in three places, in two of them without the last step.
            let isCountKnown = Set(damages.map(\.name)).isDisjoint(with: ["high-water", "status.json"])
            if isCountKnown || damages.count < 3 {
                #expect(opened.totals.accepted >= target.sample.totals.accepted, "\(what): \(opened.totals)")
            }
            harmless += opened.findings == OpeningFindings() && opened.found == target.sample.waiting ? 1 : 0
            saved += Int(opened.findings.salvagedCount)
            lost += target.sample.waiting.subtracting(opened.found).count
            kept += opened.found.count
        }
        #expect(kinds.count == Kind.allCases.count)
        #expect(saved > 0 && lost > 0, "nothing was damaged")
        print(
            "\(kinds.values.reduce(0, +)) damages, \(harmless) without effect; \(kept) tags kept, \(saved) of them out of a damaged database, \(lost) lost, every one of them counted"
        )
    }
}
