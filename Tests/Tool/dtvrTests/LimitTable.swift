/// All limits of time and memory, each as the name of its file and of its declaration.
///
/// A limit is declared with a number, or is an argument with one: see `LimitTableTests`.
enum LimitTable {
    /// The tests in which a peer stands still, such as a server, a lock, a disk or a reader, by the limits that end the
    /// wait.
    static let waits: [String: String] = [
        // Servers.
        "HTTPRequest.connect": "HTTPClientTests.handshake_thatNeverEnds_timesOut",
        "HTTPRequest.lowSpeedSeconds": "HTTPClientTests.response_thatNeverArrives_timesOut",
        "ResourceFetcher.maximumSegmentSeconds":
            "NetworkInputTests.segment_thatTakesLongerThanItsLimit_fails",
        "ResourceFetcher.maximumPlaylistSeconds":
            "NetworkInputTests.playlistOrKey_thatNeverEnds_failsAtItsLimit",
        "ResourceFetcher.maximumKeySeconds": "NetworkInputTests.playlistOrKey_thatNeverEnds_failsAtItsLimit",
        "RenditionProbe.probedSeconds":
            "RenditionProbeTests.stalledRendition_isAbandonedSoonerWhenAnotherHasTags",
        "SegmentQueue.minimumPatience":
            "SegmentQueueTests.segment_missingForMoreThanAMinute_inALongWindow_isReportedLate_withoutHoldingOthersUp",
        "ChannelStarts.longestTime":
            "ChannelStartsTests.channelsThatReadNothing_keepOthersFromStarting_forTwoSeconds",
        "ChannelComparison.wait":
            "LiveComparisonTests.missingOwner_beforeOtherRenditionIsReadOrAMinutePasses_isNotReported",
        "EvidenceRecorder.maximumSeconds":
            "EvidenceRecorderTests.hangingSegment_timesOut_atTheEndOfTheMinute",
        "ConfigurationLoader.timeLimit":
            "ConfigurationTests.request_ofConfiguration_ends20SecondsAfterItsStart",
        "HTTPTagSink.total": "GatewayTests.tricklingAnswer_endsAtTotalTimeLimit",
        "Uploader.timeLimit": "UploaderFaultTests.drainTimeLimit_includesFailedAttempts",
        "Delivery.timeLimit": "DeliveryTests.command_whoseCollectorAsksToWait_givesUp",
        "AlertWebhook.total": "AlertWebhookTests.unresponsiveWebhook_timesOut_andIsRetried",
        "AlertWebhook.longestAge": "AlertWebhookTests.alert_isRetriedForOneDay_thenDropped",
        // Clients.
        "HTTPServerSettings.headerSeconds":
            "OpenConnectionsTests.requestThatNeverEnds_isClosedAtItsTimeLimit",
        "HTTPServerSettings.bodySeconds": "OpenConnectionsTests.requestThatNeverEnds_isClosedAtItsTimeLimit",
        "HTTPServerSettings.keepAliveSeconds": "OpenConnectionsTests.idleClient_isDisconnected",
        "HTTPServerSettings.idleSeconds": "OpenConnectionsTests.responseNeverRead_isAborted",
        "Connections.longestWait": "AnswerStreamTests.stoppingServer_endsResponsesInProgress",
        "MonitorServer.limit": "StandingPeerTests.monitorServer_whoseClientStandsStill_ends",
        "LiveServer.limit": "StandingPeerTests.liveServer_whoseClientStandsStill_ends",
        "BufferSocket.waitingAtMost": "StandingPeerTests.bufferSocket_whoseClientStandsStill_ends",
        "Collector.limit": "LedgerTests.collector_ofADatabaseThatDoesNotAnswer_isNotReady_andEnds",
        "CollectCommand.stopLimit": "LedgerTests.collector_ofADatabaseThatDoesNotAnswer_isNotReady_andEnds",
        "CollectorSettings.memoryWait": "CollectorBudgetTests.batch_thatWaitsTooLongForMemory_isBusy",
        // Databases and their locks.
        "Ledger.answer": "LedgerFaultTests.server_thatDoesNotAnswer_failsEveryCall_untilItDoes",
        "Ledger.connection": "LedgerLimitTests.batch_thatWaitsTooLongForAConnection_isBusy",
        "Ledger.waitingAtMost": "LedgerLimitTests.batch_thatWaitsTooLongForAConnection_isBusy",
        "Ledger.search": "LedgerLimitTests.search_thatTakesTooLong_fails_unlessTheRowIsAlone",
        "Ledger.checkLimit": "LedgerTests.collector_ofADatabaseThatDoesNotAnswer_isNotReady_andEnds",
        "LedgerSchema.lock_timeout":
            "LedgerEnvironmentTests.lockOfAnotherProgram_failsTheBatchAndTheMaintenance_untilItIsReleased",
        "PostgresConnection.statement":
            "LedgerEnvironmentTests.lockOfAnotherProgram_failsTheBatchAndTheMaintenance_untilItIsReleased",
        "PostgresConnection.statement_timeout":
            "LedgerEnvironmentTests.maintenance_hasATimeLimitForLocksOnly",
        "PostgresConnection.idle_in_transaction_session_timeout":
            "LedgerEnvironmentTests.sessions_haveATimeLimitForStatements",
        "PostgresConnection.answer": "LedgerFaultTests.statement_thatTakesTooLong_isCancelled",
        "PostgresConnection.connect_timeout":
            "LedgerFaultTests.server_thatDoesNotAnswer_failsEveryCall_untilItDoes",
        // Other processes with a buffer.
        "RemoteBuffer.answerSeconds": "BufferSharingTests.request_toASilentOwner_failsAtItsLimit",
        "RemoteBuffer.statusSeconds": "BufferSharingTests.request_toASilentOwner_failsAtItsLimit",
        "RemoteBuffer.verificationSeconds": "BufferSharingTests.request_toASilentOwner_failsAtItsLimit",
        "FolderBuffer.maximumWait":
            "SharedFolderTests.session_whileItsProcessKeepsTheBufferOpen_waitsTenSeconds",
        "MeasurementSession.timeLimit":
            "SharedFolderTests.session_whileItsProcessKeepsTheBufferOpen_waitsTenSeconds",
        "MeasurementSession.longestDelivery": "DeliverWithinTests.hugeLimit_waitsForTheDelivery",
        "StoreAccess.silentWait": "HeldStoreTests.run_whileAnotherRunHoldsTheStore_waits",
        // Child programs, and the end of a command.
        "AlertCommand.timeLimit": "AlertCommandTests.hungProgram_isKilledAfter30Seconds",
        "MonitorCommand.within": "AlertDeliveryTests.webhookAndCommand_thatHang_delayNothingElse",
        "Interruption.commandLimit": "CommandEndTests.commandThatHangsAtItsEnd_isEnded",
        "Interruption.serviceLimit": "CommandEndTests.commandThatHangsAtItsEnd_isEnded",
        "Interruption.lastWorkLimit": "CommandEndTests.commandThatHangsAtItsEnd_isEnded",
    ]

    /// The tests in which memory or a number of things grows up to its limit, because a peer does not take or send
    /// anything.
    static let queues: [String: String] = [
        // Servers.
        "HTTPClient.maximumConnectionCount":
            "FairShareTests.channelsOfUnresponsiveServers_delayNoOtherChannelOfTheHost",
        "MultiHandles.maximumConnectionCount":
            "HangingRequestTests.requestsBesideManyThatHang_areAnswered_andTheirCancellationIsReported",
        "ChannelStarts.maximumCount":
            "ChannelStartsTests.channels_startInTheirOrder_inThePlaceOfThoseThatHaveReadTheirLists",
        "HTTPClient.maximumConnectionCountPerHost":
            "FairShareTests.channelsOfUnresponsiveServers_delayNoOtherChannelOfTheHost",
        "SegmentQueue.maximumMissingCount": "SegmentQueueTests.manyMissingSegments_areBounded",
        "SegmentQueue.maximumStragglerCount": "SegmentQueueTests.manyMissingSegments_areBounded",
        "SkippedSegments.maximumCount": "SegmentQueueMemoryTests.segmentsOfABackup_areLimitedInNumberAndTime",
        "WebhookQueue.maximumCount": "WebhookQueueTests.fullQueue_dropsTheOldestAlerts_andReportsItOnce",
        "WebhookQueue.maximumByteCount": "WebhookQueueTests.fullQueue_dropsTheOldestAlerts_andReportsItOnce",
        "EvidenceRecorder.maximumWaitingCount":
            "EvidenceRecorderTests.alerts_beyondTheQueueLimit_haveNoEvidence",
        "SessionCore.maximumQueuedCount":
            "ConfigurationTests.queuedCalls_atTheLimit_proceedWithoutConfiguration",
        "SessionCore.maximumQueuedByteCount":
            "ConfigurationTests.queuedArguments_atTheLimit_proceedWithoutConfiguration",
        "SessionHandle.maximumFlushCount": "SessionOptionTests.settle_whileManyFlushesWait_returnsAtOnce",
        // Clients and readers.
        "HTTPServerSettings.maximumConnectionCount":
            "OpenConnectionsTests.stalledClients_areClosedToAdmitOthers",
        "CollectorSettings.maximumConnectionCount":
            "CollectorConnectionTests.collectorWithFiles_keeps64Connections",
        "LiveServer.maximumConnectionCount": "OpenConnectionsTests.stalledClients_areClosedToAdmitOthers",
        "ChannelFeed.maximumReaderCount": "EventStreamTests.readers_beyondTheLimit_areRefused_untilOneLeaves",
        "LiveOutput.usualCapacity":
            "LiveOutputTests.lines_toAStalledReader_waitInOrder_andDroppedLinesAreCounted",
        "SessionNotification.maximumWaitingCount":
            "SessionOptionTests.blockedCallback_leavesTheNewestNotificationsWaiting",
        "PendingTags.maximumCount": "PlaybackTests.heldTags_beyondTheLimit_areFlushedOldestFirst",
        "BufferOwner.maximumHeldCount": "BufferSharingTests.tagsBeyondTheHeldMaximum_areReleasedAtOnce",
        // Databases and disks.
        "Ledger.connectionLimit": "LedgerLimitTests.sender_withManyBatches_leavesAConnectionForOthers",
        "AppendQueue.maximumByteCount": "OwnerShareTests.fullQueue_acceptsTheOnlyAppendOfAnOwner",
        "AppendQueue.maximumByteCountOfOnlyOnes": "OwnerShareTests.fullQueue_acceptsTheOnlyAppendOfAnOwner",
        "SessionLogFile.maximumPendingByteCount": "SessionLogTests.log_whileTheDiskHangs_keepsAtMost8MiB",
        // Child programs.
        "AlertCommand.maximumRunningCount":
            "AlertCommandTests.alerts_whileTheCommandQueueIsFull_areDropped_andReportedOnce",
        "AlertCommand.maximumWaitingCount":
            "AlertCommandTests.alerts_whileTheCommandQueueIsFull_areDropped_andReportedOnce",
    ]
}
