/// The errors of the guides, by their numbers.
public enum SessionErrorCode: Int, Sendable, Hashable, CaseIterable {
    /// The channel information cannot be read.
    case playJSON = 1
    /// The metadata cannot be read.
    case metadataJSON = 2
    /// The ID3 data cannot be read.
    case id3Data = 3
    /// The configuration was not received.
    case configurationNotReceived = 4
    /// The configuration cannot be read.
    case configurationJSON = 5
    /// A processor failed.
    case processor = 6
    /// The address is invalid.
    case url = 7
    /// The HTTP request failed.
    case http = 8
    /// The HTTP request was refused.
    case httpStatus = 9
    /// The ping could not be sent.
    case ping = 10
    /// The TSV request failed.
    case tsv = 11
    /// The station id request failed.
    case stationID = 12
    /// The buffer cannot be used.
    case database = 13
    /// An exception occurred.
    case exception = 14
    /// The playhead is invalid.
    case playhead = 15
    /// The network cannot be used.
    case network = 1001
    /// A file cannot be written.
    case fileWrite = 1002
    /// A file cannot be read.
    case fileRead = 1003
    /// A value is empty.
    case emptyValue = 1004
    /// The app's name is empty.
    case appName = 1005
    /// The app's version is empty.
    case appVersion = 1006
    /// The app's information cannot be read, or has no app id.
    case appID = 1007
    /// An exception of the library occurred.
    case sdkException = 1008

    /// A short description of the error.
    public var summary: String {
        switch self {
        case .playJSON: "the channel information cannot be read"
        case .metadataJSON: "the metadata cannot be read"
        case .id3Data: "the ID3 data cannot be read"
        case .configurationNotReceived: "the configuration was not received"
        case .configurationJSON: "the configuration cannot be read"
        case .processor: "a processor failed"
        case .url: "the address is invalid"
        case .http: "the HTTP request failed"
        case .httpStatus: "the HTTP request was refused"
        case .ping: "the ping could not be sent"
        case .tsv: "the TSV request failed"
        case .stationID: "the station id request failed"
        case .database: "the buffer cannot be used"
        case .exception: "an exception occurred"
        case .playhead: "the playhead is invalid"
        case .network: "the network cannot be used"
        case .fileWrite: "a file cannot be written"
        case .fileRead: "a file cannot be read"
        case .emptyValue: "a value is empty"
        case .appName: "the app's name is empty"
        case .appVersion: "the app's version is empty"
        case .appID: "the app's information cannot be read, or has no app id"
        case .sdkException: "an exception of the library occurred"
        }
    }
}
