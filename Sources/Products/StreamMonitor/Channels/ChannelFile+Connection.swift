import HostSystem
import TextForms

extension ChannelFile {
    /// The keys that are allowed only in the channel file.
    ///
    /// A client that adds a channel at run time must not choose the monitor's certificate files or its proxy.
    static let keysOfFileOnly: Set<String> = ["ca-file", "client-cert", "proxy"]

    /// The number of bytes that are checked in a certificate file.
    private static let maximumCertificateByteCount = 4 << 20

    /// Returns the path of a readable PEM file with a certificate, and with a private key if one is required.
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
        guard let bytes else { throw fault("'\(path)' is not a regular file") }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw fault("'\(path)' contains no PEM certificate")
        }
        guard !needsKey || text.contains("PRIVATE KEY-----") else {
            throw fault("'\(path)' contains no PEM private key")
        }
        return path
    }

    /// Returns the address of a proxy, with its variables replaced.
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
