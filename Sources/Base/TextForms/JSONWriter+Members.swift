extension JSONWriter {
    /// Writes a key and a text; `null` for nil.
    package mutating func write(_ key: String, _ value: String?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a whole number; `null` for nil.
    package mutating func write(_ key: String, _ value: (some BinaryInteger)?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a number; `null` for nil.
    package mutating func write(_ key: String, _ value: Double?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a number, whole ones without a fraction.
    package mutating func write(_ key: String, number: Double) {
        if let whole = Int64(exactly: number) {
            write(key, whole)
        } else {
            write(key, number)
        }
    }
}
