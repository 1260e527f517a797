import Foundation
import Testing

@testable import HLSPlaylist

@Suite struct URIReferenceTests {
    /// The examples of RFC 3986, 5.4.1 and 5.4.2, all against one base.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func resolve_ofRFC3986Examples_agrees(reference: String, expected: String) {
        #expect(URIReference.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
    }

    /// Every path of up to three segments, relative and absolute, with and without a query and a fragment.
    ///
    /// Foundation keeps the dots of a reference with an authority; the standard removes them (5.2.2).
    @Test(arguments: [
        "http://a/b/c/d;p?q", "http://a", "http://a/", "https://h:8/x/y/?t=1#f", "file:///x/y.z",
    ])
    func resolve_ofEveryShortPath_agreesWithFoundation(base: String) throws {
        let segments = ["", ".", "..", "g", "h;x=1", "...", ".k", "%2E", "i:j"]
        var paths = [""]
        var longest = [""]
        for _ in 0..<3 {
            longest = longest.flatMap { path in segments.map { path + "/" + $0 } }
            paths += longest + longest.map { String($0.dropFirst()) }
        }
        let foundation = try #require(URL(string: base))
        var count = 0
        for path in paths where !path.hasPrefix("//") {
            for suffix in ["", "?y", "#s", "?y/../z#s/./t"] {
                let reference = path + suffix
                guard let url = URL(string: reference, relativeTo: foundation) else { continue }
                count += 1
                #expect(URIReference.resolve(reference, against: base) == url.absoluteString, "\(reference)")
            }
        }
        #expect(count > 5_000)
    }

    @Test(arguments: [
        ("media/demo/index.m3u8", "seg1.ts", "media/demo/seg1.ts"),
        ("index.m3u8", "seg1.ts", "seg1.ts"),
        ("./index.m3u8", "v1/seg1.ts", "v1/seg1.ts"),
        ("/srv/a/index.m3u8", "../b/seg1.ts", "/srv/b/seg1.ts"),
        ("/index.m3u8", "../../seg1.ts", "/seg1.ts"),
        ("../x/index.m3u8", "seg1.ts", "../x/seg1.ts"),
        ("../x/index.m3u8", "../../seg1.ts", "../../seg1.ts"),
        ("x/index.m3u8", "../../seg1.ts", "../seg1.ts"),
        ("/srv/a#1?/index.m3u8", "seg.ts?x=1", "/srv/a#1?/seg.ts?x=1"),
        ("x/index.m3u8", "/seg1.ts", "/seg1.ts"),
        ("x/index.m3u8", "http://a/seg1.ts", "http://a/seg1.ts"),
        ("x/index.m3u8", "//a/seg1.ts", "//a/seg1.ts"),
        ("x/index.m3u8", "", "x/index.m3u8"),
        ("", "seg1.ts", "seg1.ts"),
    ])
    func resolve_againstAPath_returnsAPath(base: String, reference: String, expected: String) {
        #expect(URIReference.resolve(reference, against: base) == expected)
    }

    @Test(arguments: [
        ("http://host", "g", "http://host/g"), ("http://a/b", "//g/../x/./y/..?q", "http://g/x/?q"),
        ("http://host?q", "g", "http://host/g"),
        ("https://h:8443/a//b/i.m3u8?t=1", "c.ts?u=2", "https://h:8443/a//b/c.ts?u=2"),
        ("file:///srv/a/i.m3u8", "../b.ts", "file:///srv/b.ts"),
        ("http://a/b/c", "HTTP://x/./y", "HTTP://x/y"),
        ("http://a/b/c", "mailto:x@y", "mailto:x@y"),
        ("http://a/b/c", "x/a:b.ts", "http://a/b/x/a:b.ts"),
        ("x:", "g", "x:g"),
        // A combining mark after a delimiter forms one character with it, but the delimiter keeps its meaning.
        ("http://a/\u{301}b/c", "../\u{301}g?\u{301}x", "http://a/\u{301}g?\u{301}x"),
    ])
    func resolve_ofEdgeCases_followsRFC3986(base: String, reference: String, expected: String) {
        #expect(URIReference.resolve(reference, against: base) == expected)
    }

    @Test(
        arguments: [
            ("http://a", "http"), ("HTTPS://a", "https"), ("file:/a", "file"), ("a+b-c.1:x", "a+b-c.1"),
            ("a/b:c", nil), ("1a:b", nil), (":b", nil), ("", nil), ("//a", nil), ("é:b", nil), ("a?b:c", nil),
        ] as [(String, String?)])
    func scheme_ofAURI_isLowercaseOrNil(address: String, expected: String?) {
        #expect(URIReference.scheme(of: address) == expected)
    }

    @Test(arguments: [
        ("a.ts", ["a.ts"]), ("a%20b.ts", ["a%20b.ts", "a b.ts"]), ("a.ts?t=1", ["a.ts?t=1", "a.ts"]),
        ("a%2.ts%+1", ["a%2.ts%+1"]), ("file:///x/a%20b.ts", ["/x/a b.ts"]), ("http://a/b.ts", []),
        ("", []), ("100%", ["100%"]),
    ])
    func filePaths_forAReference_areTheCandidateNames(address: String, expected: [String]) {
        #expect(URIReference.filePaths(for: address) == expected)
    }

    @Test(arguments: [
        ("http://h/a b", "http://h/a%20b"), ("http://h/é?q=\"\u{7F}", "http://h/%C3%A9?q=%22%7F"),
        ("http://é/%41{", "http://é/%41%7B"), ("http://h/%zz", "http://h/%zz"),
    ])
    func encodingInvalid_ofAnAddress_encodesOnlyBytesThatNoURIPermits(address: String, expected: String) {
        #expect(URIReference.encodingInvalid(address) == expected)
    }

    @Test func queryParameter_byName_isDecoded() {
        let address = "http://a/b?x=1&y=a%26b&z&y=2#q=3"
        #expect(URIReference.queryParameter("x", of: address) == "1")
        #expect(URIReference.queryParameter("y", of: address) == "a&b")
        #expect(URIReference.queryParameter("z", of: address)?.isEmpty == true)
        #expect(URIReference.queryParameter("q", of: address) == nil)
        #expect(URIReference.queryParameter("x", of: "http://a/b") == nil)
    }
}
