import ByteReading
import Testing

@Suite struct DigestTests {
    @Test func sha256_ofStandardExamples_isTheExpectedDigest() {
        let abc = Hexadecimal.text(Digest.sha256(Array("abc".utf8)))
        #expect(abc == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let nothing = Hexadecimal.text(Digest.sha256([]))
        #expect(nothing == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
}
