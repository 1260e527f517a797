// Re-exports the public declarations of all library modules as one import.

@_exported public import HLSInput
@_exported public import HTTPTransfer
@_exported public import HostSystem
@_exported public import ID3v2
@_exported public import LibAVDemux
@_exported public import NielsenID3
@_exported public import Reporting
@_exported public import SegmentDemux
@_exported public import StreamHealth
@_exported public import TagDelivery
@_exported public import TagRecord
@_exported public import TagStore
