import HLSPlaylist

extension MediaPlaylist {
    /// The way in which samples are encrypted while the container is not; nil where there is none.
    var sampleEncryption: String? {
        for segment in segments {
            switch segment.key?.method {
            case .sampleAES: return "SAMPLE-AES"
            case .sampleAESCTR: return "SAMPLE-AES-CTR"
            case .aes128, .other, nil: continue
            }
        }
        return nil
    }
}
