import Glibc
import Synchronization

/// Interned C strings: each distinct text is allocated once and never freed.
enum PermanentText {
    private static let places = Mutex<[String: UInt]>([:])

    /// Returns the NUL-terminated C string of a text, which stays valid until the process ends.
    static func of(_ text: String) -> UnsafePointer<CChar>? {
        let place = places.withLock { places in
            if let known = places[text] { return known }
            // Intentionally never freed: there is one copy for each distinct text.
            let place = unsafe UInt(bitPattern: strdup(text))
            places[text] = place
            return place
        }
        return unsafe UnsafePointer(bitPattern: place)
    }
}
