import CBusGuard

/// How the bytes of media segments that are files of this machine are got at.
package enum FileAccess: Sendable {
    /// They are read, as any file is.
    case reading

    /// Where only headers matter they are looked at in place, which takes about half the time, and read
    /// otherwise.
    ///
    /// A file that is cut at that moment is a SIGBUS, for which a handler is installed, once for the whole
    /// process: an application that has one of its own installs it first, and is called for whatever is not ours.
    case mapping

    /// Gets ready, and tells whether files can be mapped.
    func prepare() -> Bool {
        switch self {
        case .reading: false
        case .mapping: dtvr_bus_guard_install() == 0
        }
    }
}
