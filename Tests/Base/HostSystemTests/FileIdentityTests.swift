import Glibc
import HostSystem
import Testing

@Suite struct FileIdentityTests {
    private let folder = ScratchFolder()

    @Test func identity_ofAFile_survivesRenaming() throws {
        let (old, new) = (folder.path + "/old", folder.path + "/new")
        let file = try FileDescriptor(path: old, options: [.writing, .create])
        let identity = try #require(FileSystem.identity(of: old))
        try FileSystem.rename(old, to: new)
        #expect(FileSystem.identity(of: new) == identity && FileSystem.identity(of: old) == nil)
        let isRemovedBefore = try file.isRemoved()
        try FileSystem.remove(new)
        let isRemovedAfter = try file.isRemoved()
        #expect(!isRemovedBefore && isRemovedAfter)
        #expect(FileSystem.identity(of: "") == nil)
    }

    /// Linux before 4.11 returns ENOSYS, and seccomp profiles of container runtimes return EPERM.
    ///
    /// Runs in a separate process, because a filter cannot be removed.
    @Test(arguments: [ENOSYS, EPERM]) func identity_withStatxDenied_isStillAvailable(refusal: Int32) async {
        await #expect(processExitsWith: .success) { [refusal = refusal as Int32] in
            let folder = ScratchFolder()
            defer { withExtendedLifetime(folder) {} }
            let path = folder.path + "/file"
            let file = try FileDescriptor(path: path, options: [.writing, .create])
            let other = try FileDescriptor(path: folder.path + "/other", options: [.writing, .create])
            try #require(refuseStatx(with: refusal))
            let identity = try #require(FileSystem.identity(of: path))
            #expect(FileSystem.identity(of: folder.path + "/./file") == identity)
            #expect(FileSystem.identity(of: folder.path + "/other") != identity)
            let isRemovedBefore = try file.isRemoved()
            try FileSystem.remove(path)
            let isRemovedAfter = try file.isRemoved()
            let isOtherRemoved = try other.isRemoved()
            #expect(!isRemovedBefore && isRemovedAfter && !isOtherRemoved)
            #expect(FileSystem.identity(of: path) == nil)
        }
    }
}

/// Installs a seccomp filter that makes statx fail with an error in this thread; returns whether it works.
private func refuseStatx(with error: Int32) -> Bool {
    #if arch(x86_64)
        let number: UInt64 = 332
    #else
        let number: UInt64 = 291
    #endif
    // Each instruction consists of a code of 16 bits, the jumps for true and false of 8 bits each, and an operand of 32
    // bits.
    let filter: [UInt64] = [
        0x20,  // loads the number of the call
        0x15 | 1 << 24 | number << 32,  // skips the next instruction for other calls
        0x06 | (0x0005_0000 | UInt64(error)) << 32,  // fails with the error
        0x06 | 0x7FFF_0000 << 32,  // allows the call
    ]
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    typealias Call =
        @convention(c) (UInt, Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer) -> Int
    // Swift cannot call functions with variable arguments, but integer arguments are passed to them as to any other
    // function. The statx wrapper of glibc would emulate a refused call. The filter and the structure outlive the
    // calls, and the kernel writes at most 256 bytes.
    return unsafe filter.withUnsafeBytes { instructions in
        guard let control = unsafe dlsym(nil, "prctl"), let syscall = unsafe dlsym(nil, "syscall"),
            let address = instructions.baseAddress
        else { return false }
        let prctl = unsafe unsafeBitCast(control, to: Control.self)
        guard prctl(38, 1, 0, 0, 0) == 0 else { return false }
        var program = (UInt64(filter.count), UInt64(UInt(bitPattern: address)))
        guard unsafe withUnsafePointer(to: &program, { prctl(22, 2, UInt(bitPattern: $0), 0, 0) }) == 0
        else { return false }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { facts in
            guard let start = facts.baseAddress else { return false }
            let call = unsafe unsafeBitCast(syscall, to: Call.self)
            return unsafe call(UInt(number), AT_FDCWD, "/", 0, 0, start) == -1 && errno == error
        }
    }
}
