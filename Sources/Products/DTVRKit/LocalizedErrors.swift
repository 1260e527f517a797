// Adds `localizedDescription` messages for users, because the modules that throw these errors do not import Foundation.

public import Foundation
public import HLSInput
public import HTTPTransfer
public import HostSystem
public import SegmentDemux
public import TagStore

extension DemuxError: LocalizedError {
    /// A one-sentence description of the failure.
    public var errorDescription: String? {
        switch self {
        case .unknownContainer(byteCount: 0): "the segment is empty"
        case .unknownContainer(let byteCount):
            "not a media segment: \(byteCount) bytes in an unknown container "
                + "(known: transport stream, fragmented MP4, packed audio)"
        case .libavformat(let code, let operation, let offset):
            "libavformat failed at byte \(offset) of the segment (\(operation.rawValue), code \(code))"
        }
    }
}

extension InputError: LocalizedError {
    /// The unreadable input, and the reason.
    public var errorDescription: String? { message }
}

extension HTTPTransferError: LocalizedError {
    /// A one-sentence description of the failure.
    public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
    /// A one-sentence description of the failure.
    public var errorDescription: String? { description }
}

extension SystemError: LocalizedError {
    /// The failed operation, its target, and the system's reason.
    public var errorDescription: String? { description }
}
