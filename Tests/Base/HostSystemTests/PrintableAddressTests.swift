import Testing

@testable import HostSystem

@Suite struct PrintableAddressTests {
    /// Returns the text with `#` instead of the digits of a hash.
    private func masked(_ text: String) -> String {
        text.replacing(/…[0-9a-f]{8}/, with: "…#")
    }

    @Test(arguments: [
        ("https://host/a.m3u8", "https://host/a.m3u8"),
        ("https://host/a.m3u8?token=secret", "https://host/a.m3u8?…#"),
        ("https://user:secret@host/a.m3u8", "https://…#@host/a.m3u8"),
        ("https://user:sec@ret@host:81/a?t=secret", "https://…#@host:81/a?…#"),
        ("https://host?secret", "https://host?…#"),
        ("https://host/a?secret with blanks?secret#secret", "https://host/a?…#"),
        ("https://host/a?", "https://host/a?"),
        ("HTTP://secret@host/", "HTTP://…#@host/"),
        ("https://host/user@name.ts", "https://host/user@name.ts"),
        ("file:///media/a.ts?secret", "file:///media/a.ts?…#"),
        ("what?.ts", "what?.ts"), ("/media/a@b?c.ts", "/media/a@b?c.ts"), ("-", "-"), ("", ""),
    ])
    func address_losesItsUserAndQuery(address: String, expected: String) {
        #expect(masked(PrintableAddress.of(address)) == expected)
    }

    @Test(arguments: [
        ("seg1.ts?secret", "seg1.ts?…#"), ("//secret@host/seg1.ts?secret", "//…#@host/seg1.ts?…#"),
        ("/seg1.ts", "/seg1.ts"), ("12:30.ts?secret", "12:30.ts?…#"), ("?secret", "?…#"),
        ("data:…", "data:…"),
    ])
    func referenceInANetwork_losesItsUserAndQuery(reference: String, expected: String) {
        #expect(masked(PrintableAddress.of(reference: reference, inNetwork: true)) == expected)
        let isPath = !PrintableAddress.isNetwork(reference)
        #expect(!isPath || PrintableAddress.of(reference: reference, inNetwork: false) == reference)
    }

    @Test func message_losesTheSecretsOfEachAddress() {
        let message = "https://user:secret@host/a?b=secret: not \"http://host/?secret\", nor c?.ts (d)."
        #expect(
            masked(PrintableAddress.of(message: message))
                == "https://…#@host/a?…#: not \"http://host/?…#\", nor c?.ts (d).")
    }

    @Test func secret_hasTheSameHashEachTime_andAnotherOneForAnotherSecret() {
        let addresses = [
            "https://host/a?1", "https://host/a?2", "https://host/a", "https://1@host/a", "https://2@host/a",
            "https://2:1@host/a",
        ].map(PrintableAddress.of)
        #expect(Set(addresses).count == addresses.count)
        #expect(PrintableAddress.of("https://host/a?1") == addresses[0])
    }

    @Test func printableAddress_isNotChangedAgain() {
        let address = PrintableAddress.of("https://user:secret@host/a?secret")
        #expect(PrintableAddress.of(address) == address)
        #expect(PrintableAddress.of("https://…@host/a?…") == "https://…@host/a?…")
    }
}
