// The mutants of this file are in Example.txt, with the output of the program that has them.

/// A rectangle.
struct Rectangle {
    static let narrowest = 0x10
    var width: Int
    var height: Int

    /// A table, whose numbers have no mutants.
    static let table = [1, 2, 3, 4, 5, 6]

    func isWide(than other: Rectangle, _ isExact: Bool = true) -> Bool {
        guard width > 4, other.height != width else { return false }
        return isExact && width - other.width > Self.narrowest
    }

    @inlinable func copied() -> Int { width + 1 }
}

/// Returns the sum of the numbers below a limit.
func sum(_ numbers: [Int]) -> Int {
    var sum = 0
    var rest = numbers.count
    var list: [Int] = []
    list.reserveCapacity(8)
    for index in 0..<numbers.count { list.append(numbers[index]) }
    while rest > 0 {
        rest -= 1
        sum += list.isEmpty ? 1 : max(list[0], 2)
    }
    let last: Int
    last = sum
    return last
}

/// Returns the text twice.
///
/// Texts have a sum, but no difference.
func twice(_ text: String) -> String {
    if text.isEmpty || text == "-" { return "1" + text }
    return text + "\(text.count + 1)" + text
}

@main
enum Example {
    static func main() {
        let wide = Rectangle(width: 40, height: 3)
        print(wide.isWide(than: Rectangle(width: 8, height: 5)), sum([1, 2, 3]), twice("a"))
    }
}
