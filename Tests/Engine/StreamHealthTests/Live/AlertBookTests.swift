import NielsenID3
import Testing

@testable import StreamHealth

/// What raises an alert by itself, without the channel around it.
@Suite struct AlertBookTests {
    private static func book() -> AlertBook {
        AlertBook(settings: ChannelHealthSettings(channel: "one-hd"), open: [], at: 0)
    }

    /// The worse of the two findings is what somebody is called for.
    @Test(arguments: [(CheckStatus.fail, CheckStatus.warn), (.warn, .fail), (.fail, .fail)])
    func alert_isAsSevereAsTheWorseOfItsFindings(first: CheckStatus, second: CheckStatus) throws {
        var book = Self.book()
        var alert = book.observe(.segmentHTTP, first, "503", rendition: 0, position: nil, at: 10)
        #expect(alert == nil)
        alert = book.observe(.segmentHTTP, second, "503", rendition: 0, position: nil, at: 20)
        #expect(try #require(alert).severity == .fail)
    }

    /// Who judges no more, as in a pause, begins anew: one finding before it and one after it are not two.
    @Test func finding_beforeThePause_isNoFirstOne() {
        var book = Self.book()
        _ = book.observe(.segmentHTTP, .fail, "503", rendition: 0, position: nil, at: 10)
        #expect(book.close().isEmpty)
        var alert = book.observe(.segmentHTTP, .fail, "503", rendition: 0, position: nil, at: 20)
        #expect(alert == nil)
        alert = book.observe(.segmentHTTP, .fail, "503", rendition: 0, position: nil, at: 30)
        #expect(alert?.since == 30)
    }

    /// Of the checks that are not judged any more the alerts are closed, and no others.
    @Test func alerts_ofSomeChecks_areClosedAlone() {
        var book = Self.book()
        for check in [CheckID.presenceSilent, .playlistStale] {
            #expect(book.observe(check, .fail, "31 s", rendition: 0, position: nil, at: 10) != nil)
        }
        #expect(book.close([.presenceSilent]).map(\.check) == [.presenceSilent])
        #expect(book.openAlerts.map(\.check) == [.playlistStale])
    }
}
