import HostSystem
import TextForms

extension ChannelFile {
    /// The keys that stand in the file only: whoever may add a channel while the monitor runs may not name its files, or what
    /// its connections go through.
    static let keysOfFileOnly: Set<String> = ["ca-file", "client-cert", "proxy"]

    /// How much of a file of certificates is looked at.
    private static let maximumCertificateByteCount = 4 << 20

    /// The path of a PEM file that can be read and has a certificate, and a private key where there must be one.
    static func certificateFile(
        _ entry: ConfigurationText.Entry, withKey needsKey: Bool = false
    ) throws(Fault) -> String {
        let path = entry.value
        let fault = { (message: String) in Fault(line: entry.line, message: "\(entry.key): \(message)") }
        let bytes: [UInt8]?
        do throws(SystemError) {
            let isFile = try FileSystem.kind(of: path) == .regularFile
            bytes = isFile ? try FileSystem.firstBytes(of: path, maximumCertificateByteCount) : nil
        } catch {
            throw fault("cannot read '\(path)': \(error.reason)")
        }
        guard let bytes else { throw fault("'\(path)' is no regular file") }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw fault("'\(path)' has no certificate in PEM form")
        }
        guard !needsKey || text.contains("PRIVATE KEY-----") else {
            throw fault("'\(path)' has no private key in PEM form")
        }
        return path
    }

    /// The address of a proxy, in which variables may stand.
    static func proxy(
        _ entry: ConfigurationText.Entry, _ environment: [String: String]
    ) throws(Fault) -> String {
        let address = try replacingVariables(in: entry.value[...], line: entry.line, environment)
        guard address.lowercased().hasPrefix("http://"), isAddress(address) else {
            throw Fault(
                line: entry.line,
                message: "\(entry.key) takes an http address such as http://proxy.example:3128")
        }
        return address
    }
}
