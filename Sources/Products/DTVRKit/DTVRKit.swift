// The whole library behind one import: an app that reads streams and delivers their tags writes `import DTVRKit`.
// A program that needs one part alone imports that module: each is usable by itself.

@_exported public import HLSInput
@_exported public import HLSPlaylist
@_exported public import HTTPTransfer
@_exported public import ID3v2
@_exported public import NielsenID3
@_exported public import SegmentDemux
@_exported public import StreamHealth
@_exported public import TagDelivery
@_exported public import TagRecord
@_exported public import TagStore
@_exported public import TimedMedia
