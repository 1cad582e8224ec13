// Every bound of the product, with its unit in its name. No other file may define such a bound.

/** Defaults. `serve` lets an operator change those that `docs/operating.md` lists. */
export const DEFAULT_LIMITS = {
  // Documents
  stateBytesMax: 1024 * 1024,
  /** From this share of the maximum on, the reply to a write has a warning. */
  stateBytesWarnPercent: 80,
  documentDepthMax: 64,
  patchOperationsMax: 1000,
  jsonDepthMax: 1000, // depth that client, CLI and MCP server on stdio parse; the service accepts `documentDepthMax`
  patchGrowthBytesMax: 2 * 1024 * 1024, // growth of a document while a patch is applied
  bodyBytesMax: 4 * 1024 * 1024,
  documentFileBytesMax: 64 * 1024 * 1024, // that a command reads; the service bounds what is sent of it
  exportFileBytesMax: 256 * 1024 * 1024, // the same for an exported state with its history
  /** Values (objects, arrays, scalars) and member names in one request body. */
  bodyValuesMax: 600_000,
  /** A snapshot of the whole document is stored at least every this many versions. */
  eventsPerSnapshotMax: 16,
  /** Values (members, items, scalars) in the documents of one write that is processed without another thread. */
  inlineWriteValuesMax: 20_000,
  /** Time for work on large documents in another thread: applying, merging, comparing. */
  documentWorkMs: 5000,
  stateCacheBytesMax: 64 * 1024 * 1024,

  // Merging (docs/merging.md)
  /** Locations that a merge conflict lists. */
  mergeConflictsMax: 20,
  /** Items of arrays without a key that one merge matches by content. Further items are matched only by index. */
  mergeItemsMax: 100_000,
  /** Read cursors in memory. The database holds all of them. */
  readCursorsMax: 10_000,
  /** Memory that read cursors take (estimated). */
  readCursorCacheBytesMax: 32 * 1024 * 1024,
  /** Parts in a read cursor that were read after the whole. The oldest are dropped first. */
  readCursorPartsMax: 50,
  /** The pointers of these parts, as text. The oldest are dropped first. */
  readCursorPartsBytesMax: 64 * 1024,
  /** The session's own changes in a read cursor, as JSON text. */
  readCursorOwnBytesMax: 256 * 1024,
  /** Versions after the read cursor that are searched for the session's own writes. */
  readCursorEventsMax: 1000,
  /** How long a new read cursor may wait before it is written to the database. */
  readCursorFlushMs: 250,

  // Key view
  /** Keys whose last change is kept in memory. */
  keyFactsMax: 100_000,
  /** Versions that are searched for the last change of a key. */
  keyReplayEventsMax: 10_000,

  // Schemas
  schemaBytesMax: 256 * 1024,
  schemaDepthMax: 64,
  /** Versions that the sessions of one tree register, under all names together. */
  schemasPerTreeMax: 100,
  schemaSubschemasMax: 2000,
  schemaCompileMs: 2000,
  schemaTrialMs: 500,
  /** Subschemas that may apply to one location of a document, with all references followed. */
  schemaFanOutMax: 10_000,
  violationsMax: 20,
  /** Estimated work (document values times subschemas per value) up to which validation runs on the main thread. */
  inlineValidationStepsMax: 100_000,
  inlineValidationBytesMax: 1024 * 1024,
  validationMs: 2000,
  /** Schemas whose versions are cached, and compiled schemas that the worker thread caches. */
  compiledSchemasMax: 200,
  /** Memory of compiled schemas and conditions (estimated). */
  compiledSchemaBytesMax: 64 * 1024 * 1024,
  /** Steps that one comparison of two schemas may take. What is undecided after that is reported as unknown. */
  compatibilityStepsMax: 20_000,
  /** Steps to decide whether a schema allows a contract or a condition. If undecided after that, it is accepted. */
  possibilityStepsMax: 20_000,
  compatibilityItemsMax: 100,
  compatibilityMs: 2000,
  /** Versions of a name that a transitive mode compares with. */
  compatibilitySchemasMax: 100,
  /** States that one dry run of a registration validates against the new schema. */
  liveStatesAtOnceMax: 1000,
  liveStateItemsMax: 100, // failing states that a dry run lists

  // Sessions and runs
  treeDepthMax: 10,
  /** Sessions of one tree, including deleted ones, since their records stay. */
  sessionsPerTreeMax: 20_000,
  promptBytesMax: 256 * 1024,
  resultBytesMax: 256 * 1024,
  leaseMs: 30_000,
  heartbeatsPerLease: 3, // heartbeats of a runner; the lease survives the loss of some
  pollTimeoutMs: 25_000,
  waitMsMax: 60_000,
  runLeaseAttemptsMax: 3,
  /** An external child that sends heartbeats is lost after this long without a sign of life. */
  sessionHeartbeatMs: 60 * 60_000,
  /** The same for a child that sends none, and for one that was not started yet or does not pull the callbacks that it waits for. */
  sessionSilenceMs: 24 * 60 * 60_000,
  heartbeatsPerSilence: 10, // signs of life that are recorded within `sessionSilenceMs`
  /** A run that no runner claims for this long fails. */
  runUnclaimedMs: 15 * 60_000,
  claimCandidatesMax: 200,
  agentFileBytesMax: 256 * 1024,
  runnerConcurrentDefault: 4,
  runnerConcurrentMax: 64,
  /** Longer lines of a client's stream are not read. */
  agentLineCharactersMax: 8 * 1024 * 1024,
  /** Larger contract schemas are not passed to a client as its output schema, because they have to fit an argument. */
  agentOutputSchemaBytesMax: 96 * 1024,
  /** How long a client waits for the state tools before it begins. Without them, the run is wasted. */
  agentToolsWaitMs: 30_000,
  logErrorCharactersMax: 2048, // characters of a run's error in the log; the run has the full text
  /** Conversations whose usage a runner remembers, for clients that report totals. */
  agentUsageFactsMax: 10_000,
  /** If a run folder's runner cannot be asked, the folder is kept for as long as a run may last. */
  runFolderAgeMsMax: 7 * 24 * 60 * 60_000,

  // Completion (design, section 5)
  completionAttemptsMax: 3,
  completionTimeoutMs: 120_000,
  completionRetryDelayMs: 5_000,
  environmentRetriesMax: 10,
  environmentBackoffMs: 5_000,
  environmentBackoffMsMax: 5 * 60_000,
  /** Consecutive completions of one tree that fail for the same cause before the pending ones fail, too. */
  sameCauseFailuresMax: 3,
  promptSectionBytesMax: 8 * 1024,
  /** Steps to find an example for a prompt. After that, the prompt has none. */
  exampleStepsMax: 20_000,
  exampleCandidatesMax: 16, // examples that are validated against schema and contract
  exampleBytesMax: 2 * 1024,
  callbackResultBytesMax: 8 * 1024,
  callbackChangesBytesMax: 4 * 1024,
  /** Messages that one pull or hook returns to a parent together; a single larger one is returned alone. */
  callbackHandOverBytesMax: 64 * 1024,
  /** Callbacks that were pulled but not acknowledged and that one pull considers. */
  callbacksAgainAtOnceMax: 100,

  // Workflow records (docs/workflow.md)
  /** Ended invocations in a record. One more, and the oldest are moved to an archive. */
  endedInvocationsMax: 10,
  /** Ended invocations that stay in the record then: the newest. */
  endedInvocationsKeptMax: 3,

  // Requests
  listItemsDefault: 100,
  listItemsMax: 1000,
  /** Items of one page of a list, as JSON; a single larger one is a page of its own. */
  listBytesPerPageMax: 4 * 1024 * 1024,
  eventBytesPerPageMax: 4 * 1024 * 1024,
  sessionTokenMs: 24 * 60 * 60_000,
  /** How long the token of a run stays valid after its work is done. */
  sessionTokenGraceMs: 60_000,
  /** Silence of a client without heartbeats after which the token of its session is refused. */
  sessionTokenSilenceMs: 4 * 60 * 60_000,
  /** Interval between checks that callers of streams, WebSockets and waits are still allowed to continue. */
  callerRecheckMs: 5_000,
  /** Minimum size of a secret that signs session tokens: the size of its hash (RFC 7518, section 3.2). */
  tokenSecretBytesMin: 32,
  /** How long the answer to a request with an idempotency key is stored. */
  idempotencyMs: 24 * 60 * 60_000,
  /** Idempotency records of the sessions of one tree, or of one non-operator token. The oldest are removed first. */
  receiptsPerOwnerMax: 100_000,
  /** Owners with new idempotency records since their last check. */
  receiptOwnerFactsMax: 10_000,
  /** Answers up to this size are stored whole; larger ones are stored without the document that the history has. */
  keptAnswerBytesMax: 4 * 1024,
  tickMs: 1000,
  /** Due timers that are processed together. */
  dueAtOnceMax: 100,
  /** Failures of background work on one record before the record is set aside. A damaged one is set aside at once. */
  recordFailuresMax: 5,
  /** Delay before the first retry, and the maximum delay. */
  recordRetryMs: 1000,
  recordRetryMsMax: 10 * 60_000,
  troubledRecordFactsMax: 10_000, // failing records whose retries are remembered
  /** A poll checks again after this time, because a run may become available without an event. */
  pollLookAgainMs: 1000,
  findingsMax: 100,

  // MCP (docs/mcp.md)
  /** Values that are longer, as JSON, are answered with an outline and the pointers to read next. */
  mcpValueCharactersMax: 12 * 1024,
  mcpWaitMsMax: 50_000, // longest wait of a call; clients abandon a call after a minute
  mcpWaitMsDefault: 25_000,
  /** Interval of progress notifications of a wait, for calls that request them. */
  mcpProgressMs: 5_000,
  mcpSubscriptionsMax: 1000,
  /** Of one session, or of one non-operator token. */
  mcpSubscriptionsPerCallerMax: 100,
  mcpSubscriptionsPerTreeMax: 250,
  mcpResourcesPerSubscriptionMax: 100,

  // Hooks of agent CLIs (docs/hooks.md)
  /** Refusals of a stop in a row, if the client has no cap of its own. */
  hookAttemptsMax: 100,
  /** Sessions whose stop hook state is remembered. */
  hookFactsMax: 10_000,
  /** Default time that a stop waits for callbacks. It is below the timeout of installed hooks. */
  hookWaitMs: 4 * 60_000,
  /** How long a process waits beside an idle session to wake it. */
  hookWakeMs: 24 * 60 * 60_000,
  /** How long the check before a tool waits for an answer. */
  hookGateMs: 8_000,
  hookAnswerMs: 20_000, // how long a start or a stop waits for an answer, beyond the wait for callbacks
  /** Consecutive refusals of a stop with callbacks, if no later stop shows that they arrived. */
  hookUnheardAttemptsMax: 3,

  // Waits, streams and WebSockets
  conditionWaitsMax: 1000,
  /** Of one session, or of one non-operator token. */
  conditionWaitsPerCallerMax: 250,
  conditionWaitsPerTreeMax: 500,
  streamsMax: 10_000,
  /** Of one session, or of one non-operator token. A subscription of a WebSocket counts as a stream. */
  streamsPerCallerMax: 1000,
  streamsPerTreeMax: 2000,
  /** How long a stream lasts before its reader has to authenticate again. */
  streamMsMax: 60 * 60_000,
  /** An idle stream sends its position at this interval. */
  streamBookmarkMs: 15_000,
  /** A reader that takes none of the available data for this long is disconnected. */
  streamStallMs: 10_000,
  streamEventsPerStepMax: 100,
  streamBytesPerStepMax: 256 * 1024,
  /** Bytes buffered for the readers of one caller, and of all callers. Shared bytes count once. */
  streamBytesPerCallerMax: 16 * 1024 * 1024,
  streamBufferBytesMax: 64 * 1024 * 1024,
  /** Pages that were read for one reader of a stream and that the next reader may use. */
  streamPagesBytesMax: 8 * 1024 * 1024,
  socketsMax: 1000,
  /** Sockets that have not authenticated yet. They have their own limit and take nothing from the others. */
  unidentifiedSocketsMax: 64,
  /** Of the sessions of one tree, and of one non-operator token. */
  socketsPerTreeMax: 100,
  socketsPerCallerMax: 250,
  subscriptionsPerSocketMax: 100,
  socketMessageBytesMax: 64 * 1024,
  /** How long a WebSocket may be open without authentication, and how long a closed one may linger. */
  socketAuthMs: 5_000,
  /** Interval between checks that the other end is alive. */
  socketPingMs: 30_000,
  /** Domain events that are kept for clients that reconnect. */
  noticesMax: 100_000,
  noticeAgeMsMax: 7 * 24 * 60 * 60_000,

  // Retention
  /** Versions of a state that are kept; 0 keeps all. */
  historyVersionsMax: 0,
  /** Age of the versions that are kept; 0 keeps all. */
  historyAgeMsMax: 0,
  /** How long invocations that were moved out of a workflow record can be read. */
  workflowArchivesKeptMs: 30 * 24 * 60 * 60_000,
  retentionRoundMs: 60_000, // between two rounds over all histories
  retentionStepMs: 200, // between two steps of a round
  retentionStatesPerStepMax: 100,
  /** Versions of one state, or domain events, that one step removes. */
  retentionRowsPerStepMax: 1000,

  // Webhooks
  webhooksMax: 100,
  /** Created by sessions of one tree, and by one session. */
  webhooksPerTreeMax: 20,
  webhooksPerSessionMax: 10,
  /** Time for one attempt, from the DNS lookup to the end of the answer. */
  webhookTimeoutMs: 15_000,
  /** How long a message is retried before it is dead. */
  webhookRetryForMs: 24 * 60 * 60_000,
  webhookBackoffMs: 5_000,
  webhookBackoffMsMax: 60 * 60_000,
  webhookRetryAfterMsMax: 6 * 60 * 60_000,
  webhookAttemptsKeptMax: 10,
  webhookBreakerFailuresMax: 5,
  webhookBreakerMs: 10_000,
  webhookBreakerMsMax: 5 * 60_000,
  webhookSendsAtOnceMax: 64,
  webhookSendsPerOriginMax: 8,
  /** A longer patch is left out of the message; a note says how to read it. */
  webhookPatchBytesMax: 32 * 1024,
  webhookResponseBytesMax: 2 * 1024,
  /** How long an ended delivery is kept, and how many are kept. */
  webhookDeliveriesKeptMs: 7 * 24 * 60 * 60_000,
  webhookDeliveriesKeptMax: 10_000,
  webhookPruneMs: 60_000,
  webhookTruthsMax: 10_000, // condition results that are kept in memory

  // Decisions
  /** How often a decision is prepared again because the tree has changed, before that counts as a bug. */
  preparationsMax: 50,
  /** Versions that are searched for the write that broke a contract. */

  // Memory
  stateFactsMax: 10_000,
  stopOrdersSentMax: 10_000,

  // Shutdown
  drainMs: 10_000,
} as const;

export type Limits = { readonly [name in keyof typeof DEFAULT_LIMITS]: number };
