/// The errors of the guides, by their numbers.
public enum SessionErrorCode: Int, Sendable, Hashable, CaseIterable {
    case playJSON = 1
    case metadataJSON = 2
    case id3Data = 3
    case configurationNotReceived = 4
    case configurationJSON = 5
    case processor = 6
    case url = 7
    case http = 8
    case httpStatus = 9
    case ping = 10
    case tsv = 11
    case stationID = 12
    case database = 13
    case exception = 14
    case playhead = 15
    case network = 1001
    case fileWrite = 1002
    case fileRead = 1003
    case emptyValue = 1004
    case appName = 1005
    case appVersion = 1006
    case appID = 1007
    case sdkException = 1008

    /// The error in a few words.
    public var summary: String {
        switch self {
        case .playJSON: "the channel information cannot be read"
        case .metadataJSON: "the metadata cannot be read"
        case .id3Data: "the ID3 data cannot be read"
        case .configurationNotReceived: "the configuration was not received"
        case .configurationJSON: "the configuration cannot be read"
        case .processor: "a processor failed"
        case .url: "the address is not valid"
        case .http: "the HTTP request failed"
        case .httpStatus: "the HTTP request was refused"
        case .ping: "the ping could not be sent"
        case .tsv: "the TSV request failed"
        case .stationID: "the station id request failed"
        case .database: "the buffer cannot be used"
        case .exception: "an exception"
        case .playhead: "the playhead is not valid"
        case .network: "the network cannot be used"
        case .fileWrite: "a file cannot be written"
        case .fileRead: "a file cannot be read"
        case .emptyValue: "a value is empty"
        case .appName: "the app's name is empty"
        case .appVersion: "the app's version is empty"
        case .appID: "the app id is missing or empty"
        case .sdkException: "an exception of the library"
        }
    }
}
