extension CallReplay {
    /// Summarizes the calls of a log without a buffer, with the machine alone.
    package static func summary(of lines: [CallLogLine]) -> ReplaySummary {
        var machines: [String: SessionMachine] = [:]
        var summary = ReplaySummary()
        let clock = ReplayClock()
        for line in lines {
            clock.move(to: line.at)
            guard case .call(let name, let arguments) = line.content else {
                summary.unreadableCount += 1
                continue
            }
            summary.callCount += 1
            let call = SessionCall(named: name, arguments)
            _ = machines[line.instance, default: SessionMachine { "" }].handle(call, at: clock.sinceBoot)
        }
        for machine in machines.values {
            summary.counts.add(machine.counts)
            summary.findings.merge(machine.findings, uniquingKeysWith: +)
        }
        return summary
    }
}
