extension LimitTable {
    /// The pauses of a program between its own steps or attempts, which no peer can extend.
    static let pauses = names(
        """
        AlertWebhook.firstDelay AlertWebhook.longestDelay AlertWebhook.longestRetryAfter
        AlertWebhook.longestRepeatDelay AlertPipeline.repeatInterval
        BufferSocket.interval ChannelFeed.interval DeliverySchedule.firstWindow DeliverySchedule.lastWindow
        DeliverySchedule.maximumRetryAfter DeliverySchedule.probeInterval Escalation.longestDelay
        EventLog.summaryInterval EventStream.heartbeat EventStream.reconnectionTime FolderBuffer.retryDelay
        InputFile.pollInterval InputProgress.interval Ledger.connectPause
        LiveMonitor.tickInterval MonitorCommand.commitInterval
        MeasurementSession.longestRetryDelay MeasurementSession.shortestRetryDelay MonitorScreen.for
        OpenConnections.interval PostgresConnection.checkInterval ReloadTiming.delayAfterEnd
        ReloadTiming.frequentReloadTime ReloadTiming.longDelayAfterEnd RenditionFollower.probeInterval
        RequestPace.interval SegmentQueue.timePerAttempt SessionConfiguration.uploadInterval
        LiveServer.longestWait SourceFollower.firstRetryDelay SourceFollower.longestRetryDelay
        StoreAccess.pollInterval StoreEngine.every StoreEngine+Status.every StoreEngine+Status.for
        MultiHandles.longestWait
        Uploader.pollInterval Uploader.troubleInterval
        """)

    /// The times that the kernel measures for a machine that has gone, which no peer on this machine can show.
    static let kernelTimes = names(
        """
        PostgresConnection.keepalives_count PostgresConnection.keepalives_idle
        PostgresConnection.keepalives_interval PostgresConnection.tcp_user_timeout
        """)

    /// The times of content, of records and of rules, which are compared and not waited for.
    static let contentTimes = names(
        """
        AssetProgress.longestDelay ChannelContext.every ChannelPeriods.cutInterval ChannelBackup.backupWait ChannelSnapshot.maximumAge
        CopiedSegments.targetSeconds EpisodeBook.every EpisodeBook.verificationTime
        EpisodeEntry.togetherTime
        HostGrouping.togetherTime HTTPHeaders.latestTime Initializations.maximumLiveSeconds
        Initializations.maximumStepSeconds Ledger.failureTime LiveChannel.earliestTime
        LiveChannel+Text.longestTime LiveRendition.targetSeconds LiveScriptParser.longestTime
        LiveSettings.unitMilliseconds MonitorAccess.cookieSeconds MonitorChecks.evictionTime
        MonitorClock.agreementTime MonitorClock.overloadTime MonitorClock.unknownTime
        Playhead.largestSeconds Playhead.longestGap PlaylistLimit.maximumSeconds
        RenditionDelivery.followedTime SegmentFeed.maximumDistance
        ReloadTiming.assumedTargetSeconds ReloadTiming.maximumTargetSeconds SessionIdentity.firstPartyIDAge
        SessionIdentity.latestTime SharedSettings.longestAge StoreSettings.maximumAge StreamParts.seconds
        SynthesisSettings.infoInterval SynthesisSettings.programDateTime SynthesisSettings.startTime
        SynthesisSettings.tagInterval TagBuffer.maximumAge
        """)

    /// The sizes and counts of what a peer has sent, or of a result: none grows while a peer stands still.
    static let contentSizes = names(
        """
        AlertMessage.maximumSentenceLength AlertFormat.maximumHeadlineLength AlertFormat.maximumTextLength
        AlertFormat.maximumNameCount AlertHandling.maximumCount AlertHandling.maximumNameLength
        EventLog.maximumCountLength EventLog.maximumConsequenceLength PagerDutyFormat.maximumKeyLength SlackFormat.maximumSectionLength
        SlackFormat.maximumFieldLength AlertPipeline.maximumRepeatCount
        AlertWebhook.maximumAnswerByteCount Bookmark.maximumReaderCount
        Bookmark.maximumTagCount BoundedBody.maximumOverrunFactor BoxWalker.maximumBoxCount
        BoxWalker.maximumDepth BoxWalker.maximumPayloadByteCount BreakDateRange.maximumIDByteCount
        BufferRequest.maximumBodyByteCount BufferRequest.maximumByteCount BufferRequest.maximumTagCount
        CallEvaluation.maximumSessionCount CallLogReader.maximumLineByteCount CallReport.maximumTrackCount
        CallTimeline.maximumCount CarriageFacts.maximumListed Certification.maximumStreamSessionCount
        CertificationReader.maximumHeadByteCount CertificationReader.maximumStartByteCount
        ChannelChanges.maximumAddedByteCount ChannelChanges.maximumAddedCount
        ChannelContext.maximumRenditionCount ChannelFeed.maximumAlertCount
        ChannelFile+Connection.maximumCertificateByteCount ChannelProbe.maximumCount
        ChannelRegistry.maximumIDCount ChannelRenditions.maximumCount ChannelSettings.maximumIDLength
        ChannelPeriods.maximumCount ChannelRecord.maximumLastTagCount
        ChannelRecord.maximumTrackCount ClockEpochs.maximumCount ClockEpochs.maximumStep
        CollectorAnswer.maximumStoreCount CollectorReply.maximumTextLength
        CollectorSettings.maximumBodyByteCount CollectorSettings.maximumDecodedByteCount
        CollectorSettings.maximumLineByteCount CollectorSettings.maximumTagCount CookieJar.maximumByteCount
        CoveragePage.maximumBarCount CoveragePage.maximumGapCount
        CookieJar.maximumCount DamagedDatabase.maximumLogByteCount DeliverySchedule.maximumCount
        DeliverySchedule.maximumRefusalCount DeliverySchedule+Record.maximumByteCount
        DeliverySchedule+Record.maximumReasonByteCount DemuxLimits.maximumFrontByteCount
        DemuxLimits.maximumMetadataStreamCount DemuxLimits.maximumOpenTagByteCount
        DemuxLimits.maximumProgramCount DemuxLimits.maximumSegmentTagByteCount
        DemuxLimits.maximumTagByteCount DemuxLimits.maximumUnmappedByteCount EncodedLoop.maximumLength
        EventLog.maximumHintLength EventLog.maximumLineLength EvidenceRecorder.maximumByteCount
        EvidenceRecorder.maximumCount EvidenceRecorder.maximumNameLength
        EvidenceRecorder.maximumPlaylistByteCount EvidenceRecorder.maximumSegmentByteCount
        EvidenceRecorder.maximumSegmentCount FrameDecoding.maximumCount FrameDecoding.maximumRatio
        HARReader.maximumBodyByteCount HARReader.maximumPingByteCount HARReader.maximumPingCount
        HelpText.maximumWidth LedgerReportAction.maximumDayCount HTTPRequest.maximumRedirectCount Initializations.maximumAllowance
        Initializations.maximumByteCount Initializations.maximumCount InputList.maximumLineByteCount
        InserterRun.maximumMissingCount
        InserterRun.maximumStepCount InserterRuns.maximumIdleTurns InserterRuns.maximumRunCount
        InserterRuns.maximumSpanCount JSONReader.maximumDepth JSONTokenizer.maximumDepth
        JSONTokenizer.maximumStringByteCount KeyRing.maximumKeptKeyCount SegmentFeed.maximumCount Ledger.attemptLimit
        LineFile.maximumLineByteCount ListedSegments.maximumNameByteCount LiveMonitor.maximumKeptCount
        LiveInput.maximumSegmentByteCount LiveRendition.maximumBegunCount
        ChannelHealthSettings.maximumBreakLength
        LiveTrack.maximumStretchCount LiveTrack.maximumTagCount Metadata.maximumMergedByteCount
        MovieTracks.maximumCount Outbox.maximumStateByteCount OwnerTextRepairs.maximumGroupCount
        OwnerTextInput.maximumTextByteCount OwnerTextPrefix.maximumByteCount
        OwnerTextSearch.maximumByteCount OwnerTextTags.maximumCount PageCells.maximumPayloadByteCount
        PageReport.maximumPlottedTrackCount ParsedTag.maximumInputByteCount ParsedTag.maximumOwnerByteCount
        ParsingContext.maximumReplacedLength PingRules.maximumCharacterCount
        PingRules.maximumSessionCount PlaybackPosition.maximumStep PlayedAsset.maximumTextLength
        PlayerFinding.maximumValueLength PlaylistFollower.maximumOpenBreak PlaylistLoad.maximumEventCount
        PlaylistProblem.maximumListed PlaylistWindow.maximumCount PlaylistWindow.maximumSearchCount
        PlaylistWindow.maximumSkippedByteCount StreamChecker.maximumWaitingSegments
        PublishedTotals.maximumLosingCount ReadStream.maximumBegunCount ChannelTags.maximumCount
        RecordContent.maximumByteCount RecordContent.maximumDepth RemoteBuffer.maximumByteCount
        RenditionCoverage.maximumStretchCount
        RenditionProbe.maximumProbeCount RenditionProbe.maximumProbeFactor
        RenditionsSideBySide.maximumLaneCount RenditionTrack.maximumTags RequestPace.maximumHostCount
        ResourceFetcher.maximumKeyByteCount ResourceFetcher.maximumPlaylistByteCount
        ResourceFetcher.maximumSegmentByteCount RunningTransfer.maximumHeaderByteCount
        SectionAssembler.maximumByteCount SectionAssembler.maximumPrivateByteCount
        SegmentDirectory.maximumListedCount SegmentFilter.maximumByteCount
        SegmentNaming.maximumComponentCount SegmentShortfall.maximumCount
        SessionConfiguration.maximumByteCount SessionConfiguration.maximumProblemCount
        SessionConfiguration.maximumTextLength SessionIdentity.maximumByteCount
        SessionLogFile.maximumByteCount SessionMachine.maximumDetailCount Shard.maximumCount SpacingSketch.maximumColumns
        StorableJSON.growthLimit StoredTag.maximumBodyByteCount
        StoreStatus.maximumDeliveryStateByteCount StoreStatus.maximumFileByteCount StoreTotals.maximumCount
        StreamComparison.maximumFactCount
        StreamMatcher.maximumPendingCount StreamTags.maximumCount TagAlignment.maximumPlaceCount
        TagAssembler.maximumOwnerLength TagBatch.maximumStoredByteCount
        TagComparison+Times.maximumReferenceCount TagComparison.maximumSearchCount
        TagTimeline.maximumBorderCount SequenceChecks.maximumSegmentOverlap
        TransportStreamDemuxer.maximumLibraryEntryCount AssetProgress.maximumByteCount
        ZstdDecompressor.maximumWindowLog
        """)

    private static func names(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
