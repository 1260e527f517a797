import HLSPlaylist

extension MediaPlaylist {
    /// The method that encrypts samples but not the container, or nil if there is none.
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
