internal import CDTVRStat
import Glibc

/// The users whose files, sockets and processes this process uses.
///
/// A path shows nothing about its files: in a folder such as `/tmp`, any user can prepare them. The group of a file
/// is trusted, because the owner of the file has chosen it.
package struct TrustedUsers: Sendable, Hashable {
    /// The ids of the users; nil for all.
    private let ids: Set<UInt32>?

    /// The effective user of this process, and root.
    package static var own: TrustedUsers { TrustedUsers([geteuid(), 0]) }

    /// All users if this process belongs to root; otherwise only its own user and root.
    package static var allForRoot: TrustedUsers { geteuid() == 0 ? TrustedUsers(nil) : own }

    /// The users with the given ids; nil for all.
    package init(_ ids: Set<UInt32>?) { self.ids = ids }

    /// Whether all users are trusted.
    package var includesAll: Bool { ids == nil }

    private func contains(_ user: UInt32) -> Bool { ids?.contains(user) ?? true }

    // MARK: Files

    /// Returns the reason why an open file must not be used; nil if only trusted users may change it.
    package func objection(to file: borrowing FileDescriptor) throws(SystemError) -> String? {
        objection(to: try file.facts())
    }

    /// Returns the reason why the file at a path must not be used; nil if only trusted users may change it.
    ///
    /// A symbolic link is not followed.
    package func objection(toFileAt path: String) throws(SystemError) -> String? {
        var facts = stat()
        // The path is borrowed for the call, which writes only to the structure.
        guard unsafe lstat(path, &facts) == 0 else {
            throw SystemError(operation: "lstat", path: path, code: errno)
        }
        return objection(to: facts)
    }

    private func objection(to facts: stat) -> String? {
        if let objection = objection(toUser: facts.st_uid) { return objection }
        if includesAll || facts.st_mode & S_IFMT == S_IFLNK || facts.st_mode & S_IWOTH == 0 { return nil }
        return "every user may write to it"
    }

    private func objection(toUser user: UInt32) -> String? {
        contains(user) ? nil : "it belongs to user \(user), this process to user \(geteuid())"
    }

    // MARK: Processes

    /// Returns the reason why the process that listens at a connected Unix domain socket must not be used; nil if it
    /// belongs to a trusted user.
    package func objection(toPeerOf socket: Int32) throws(SystemError) -> String? {
        // The fields of struct ucred, which Swift does not import: the process, the user and the group.
        var fields: [UInt32] = [0, 0, 0]
        var byteCount = socklen_t(fields.count * MemoryLayout<UInt32>.size)
        // The call writes at most this number of bytes.
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &fields, &byteCount) == 0 else {
            throw SystemError(operation: "getsockopt", code: errno)
        }
        return objection(toUser: fields[1])
    }
}

extension HostThread {
    /// Makes the calling thread access files as the user of a folder, for the rest of its life; for root only.
    ///
    /// The files that it creates then belong to that user, and links that the user has placed lead only to files of the
    /// user. In a folder of root that a group may write, it is the user of the files. Without effect if the files
    /// belong to several users.
    ///
    /// - Parameter files: The paths of the files; some may not exist.
    package static func accessFiles(asUserOf folder: borrowing FileDescriptor, with files: [String])
        throws(SystemError)
    {
        let facts = try folder.facts()
        let users = Set(
            files.compactMap { path -> UInt32? in
                var facts = stat()
                // The path is borrowed for the call, which writes only to the structure.
                return unsafe lstat(path, &facts) == 0 ? facts.st_uid : nil
            })
        let isGroupFolder = facts.st_uid == 0 && facts.st_mode & S_IWGRP != 0
        guard let user = isGroupFolder ? users.first : facts.st_uid, users.isSubset(of: [user]) else {
            return
        }
        if user != 0 { dtvr_access_files_as(user, facts.st_gid) }
    }
}
