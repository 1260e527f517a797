extension JSONWriter {
    /// Writes a key and a text, or `null` for nil.
    package mutating func write(_ key: String, _ value: String?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and an integer, or `null` for nil.
    package mutating func write(_ key: String, _ value: (some BinaryInteger)?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a number, or `null` for nil.
    package mutating func write(_ key: String, _ value: Double?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a number; integers have no fraction.
    package mutating func write(_ key: String, number: Double) {
        if let whole = Int64(exactly: number) {
            write(key, whole)
        } else {
            write(key, number)
        }
    }
}
