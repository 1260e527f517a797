import Glibc
import Synchronization

/// Texts that C may keep: each is made once, and never freed.
enum PermanentText {
    private static let places = Mutex<[String: UInt]>([:])

    /// The text, ended by a NUL.
    static func of(_ text: String) -> UnsafePointer<CChar>? {
        let place = places.withLock { places in
            if let known = places[text] { return known }
            // A copy that nobody frees; there are as many as there are different texts.
            let place = unsafe UInt(bitPattern: strdup(text))
            places[text] = place
            return place
        }
        return unsafe UnsafePointer(bitPattern: place)
    }
}
