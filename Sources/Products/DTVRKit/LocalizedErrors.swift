// What errors say to a person through `localizedDescription`. The modules that throw them do without Foundation.

public import Foundation
public import HLSInput
public import HTTPTransfer
public import HostSystem
public import SegmentDemux
public import TagStore

extension DemuxError: LocalizedError {
    /// What failed, in one sentence.
    public var errorDescription: String? {
        switch self {
        case .libavformat(let code, let operation, let offset):
            "libavformat failed at byte \(offset) of the segment (\(operation.rawValue), code \(code))"
        }
    }
}

extension InputError: LocalizedError {
    /// What could not be read, and why.
    public var errorDescription: String? { message }
}

extension HTTPTransferError: LocalizedError {
    /// What failed, in one sentence.
    public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
    /// What failed, in one sentence.
    public var errorDescription: String? { description }
}

extension SystemError: LocalizedError {
    /// The operation that failed, on what, and the system's reason.
    public var errorDescription: String? { description }
}
