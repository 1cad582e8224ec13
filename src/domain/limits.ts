// Every bound of the product, with its unit in its name. Nothing else may hold a magic number of this kind.

/** Defaults; `serve` lets an operator change those that `docs/operating.md` lists. */
export const DEFAULT_LIMITS = {
  // Documents
  stateBytesMax: 1024 * 1024,
  /** From this part of it on, writes are answered with a warning. */
  stateBytesWarnPercent: 80,
  documentDepthMax: 64,
  patchOperationsMax: 1000,
  /** Levels of JSON that the client, the CLI and the MCP server on stdio take at all; a service takes `documentDepthMax`. */
  jsonDepthMax: 1000,
  /** Size that a document may reach while a patch is being applied. */
  patchGrowthBytesMax: 2 * 1024 * 1024,
  bodyBytesMax: 4 * 1024 * 1024,
  /** Values (objects, arrays, scalars) and member names in one request body. */
  bodyValuesMax: 600_000,
  /** A snapshot of the whole document is kept at least every so many versions. */
  eventsPerSnapshotMax: 16,
  /** Values (members, items, scalars) of the documents of one write that are worked on without another thread. */
  inlineWriteValuesMax: 20_000,
  /** Work on large documents in another thread: applying, merging, comparing. */
  documentWorkMs: 5000,
  stateCacheBytesMax: 64 * 1024 * 1024,

  // Merging (docs/merging.md)
  /** Places that a refused merge lists. */
  mergeConflictsMax: 20,
  /** Items of arrays without a key that one merge tells apart by what they are; past it, only by their places. */
  mergeItemsMax: 100_000,
  /** Read marks in memory; all of them are in the database too. */
  readMarksMax: 10_000,
  /** What they take in memory (estimated). */
  readMarkCacheBytesMax: 32 * 1024 * 1024,
  /** Parts read since the whole that a mark holds; the oldest give way. */
  readMarkPartsMax: 50,
  /** Pointers of these, as text; the oldest give way. */
  readMarkPartsBytesMax: 64 * 1024,
  /** A session's own changes that a mark holds, as JSON text. */
  readMarkOwnBytesMax: 256 * 1024,
  /** Versions since the mark that are looked through for the session's own writes. */
  readMarkEventsMax: 1000,
  /** How long a new mark may wait for its place in the database. */
  readMarkFlushMs: 250,

  // Key view
  /** Keys whose last change is remembered. */
  keyFactsMax: 100_000,
  /** Versions that are looked through for the last change of a key. */
  keyReplayEventsMax: 10_000,

  // Schemas
  schemaBytesMax: 256 * 1024,
  schemaDepthMax: 64,
  /** Versions that the sessions of one tree register, under all names together. */
  schemasPerTreeMax: 100,
  schemaSubschemasMax: 2000,
  schemaCompileMs: 2000,
  schemaTrialMs: 500,
  /** Subschemas that one place of a document may be held against, all references followed. */
  schemaFanOutMax: 10_000,
  violationsMax: 20,
  /** Estimated work (document places times subschemas per place) up to which a document is validated on the main thread. */
  inlineValidationStepsMax: 100_000,
  inlineValidationBytesMax: 1024 * 1024,
  validationMs: 2000,
  /** Schemas whose versions, and whose code in another thread, are kept. */
  compiledSchemasMax: 200,
  /** Compiled schemas and conditions in memory (estimated). */
  compiledSchemaBytesMax: 64 * 1024 * 1024,
  /** Steps that one comparison of two schemas may take; what is not known by then is called unknown. */
  compatibilityStepsMax: 20_000,
  /** Steps in which it is found out whether a schema leaves room for a contract or a condition; past it, it may. */
  possibilityStepsMax: 20_000,
  compatibilityItemsMax: 100,
  compatibilityMs: 2000,
  /** Versions of a name that a transitive mode compares with. */
  compatibilitySchemasMax: 100,
  /** States that one dry run of a registration holds against the new schema. */
  liveStatesAtOnceMax: 1000,
  /** States that it lists as failing. */
  liveStateItemsMax: 100,

  // Sessions and runs
  treeDepthMax: 10,
  /** Sessions of one tree, deleted ones too: their records stay. */
  sessionsPerTreeMax: 20_000,
  promptBytesMax: 256 * 1024,
  resultBytesMax: 256 * 1024,
  leaseMs: 30_000,
  /** Signs of life that a runner gives while a lease lasts: it survives that some get lost. */
  heartbeatsPerLease: 3,
  pollTimeoutMs: 25_000,
  waitMsMax: 60_000,
  runLeaseAttemptsMax: 3,
  /** An external child that sends heartbeats is lost after so long without a sign of life. */
  sessionHeartbeatMs: 60 * 60_000,
  /** The same for one that sends none, was not started yet, or does not take the callbacks that it waits for. */
  sessionSilenceMs: 24 * 60 * 60_000,
  /** Signs of life that are written down while that time lasts. */
  heartbeatsPerSilence: 10,
  /** A run that no runner took for so long fails for lack of one. */
  runUnclaimedMs: 15 * 60_000,
  claimCandidatesMax: 200,
  agentFileBytesMax: 256 * 1024,
  runnerConcurrentDefault: 4,
  runnerConcurrentMax: 64,
  /** A line of a client's stream that is longer is not read. */
  agentLineCharactersMax: 8 * 1024 * 1024,
  /** A contract's schema that is larger is not asked of a client as its output: it has to fit an argument. */
  agentOutputSchemaBytesMax: 96 * 1024,
  /** How long a client waits for the tools of the state before it begins; a run without them is lost. */
  agentToolsWaitMs: 30_000,
  logErrorCharactersMax: 2048, // error of a run in the log; the run itself has all of it
  /** Conversations whose usage a runner remembers, for clients that tell its sum. */
  agentUsageFactsMax: 10_000,
  /** A folder of a run whose runner cannot be asked after is kept for as long as a run may last. */
  runFolderAgeMsMax: 7 * 24 * 60 * 60_000,

  // Completion (design, section 5)
  completionAttemptsMax: 3,
  completionTimeoutMs: 120_000,
  completionRetryDelayMs: 5_000,
  environmentRetriesMax: 10,
  environmentBackoffMs: 5_000,
  environmentBackoffMsMax: 5 * 60_000,
  /** Completions of one tree that fail in a row for one cause before the pending ones fail with them. */
  sameCauseFailuresMax: 3,
  promptSectionBytesMax: 8 * 1024,
  /** Steps in which an example for a prompt is made; past it, the prompt has none. */
  exampleStepsMax: 20_000,
  /** Examples that are held against schema and contract. */
  exampleCandidatesMax: 16,
  exampleBytesMax: 2 * 1024,
  callbackResultBytesMax: 8 * 1024,
  callbackChangesBytesMax: 4 * 1024,
  /** Messages that a parent is handed at once by a pull or a hook; one, if it is larger. */
  callbackHandOverBytesMax: 64 * 1024,
  /** Callbacks that were pulled and not acknowledged, of which one pull takes account. */
  callbacksAgainAtOnceMax: 100,

  // Doors
  listItemsDefault: 100,
  listItemsMax: 1000,
  /** Items of one page of a list, as JSON; one, if it is larger. */
  listBytesPerPageMax: 4 * 1024 * 1024,
  eventBytesPerPageMax: 4 * 1024 * 1024,
  sessionTokenMs: 24 * 60 * 60_000,
  /** How long the token of a run counts after its work is done. */
  sessionTokenGraceMs: 60_000,
  /** Between two looks whether callers of streams, WebSockets and waits may go on. */
  callerRecheckMs: 5_000,
  /** Of a secret that signs session tokens: as long as its hash (RFC 7518, section 3.2). */
  tokenSecretBytesMin: 32,
  /** How long the answer to a request with an idempotency key is kept. */
  idempotencyMs: 24 * 60 * 60_000,
  /** Receipts of such requests that the sessions of one tree have together, or one token that is no operator's; the oldest go. */
  receiptsPerOwnerMax: 100_000,
  /** Of these, that have left receipts since they were last looked at. */
  receiptOwnerFactsMax: 10_000,
  /** An answer up to so large is kept as it is; a larger one without the document that the history has. */
  keptAnswerBytesMax: 4 * 1024,
  tickMs: 1000,
  /** Due records that are taken up together. */
  dueAtOnceMax: 100,
  /** How often background work fails on one record before the record is put aside; one that is damaged, at once. */
  recordFailuresMax: 5,
  /** Before it is tried again, and at most. */
  recordRetryMs: 1000,
  recordRetryMsMax: 10 * 60_000,
  /** Records that are remembered for that. */
  troubledRecordFactsMax: 10_000,
  /** A poll looks again unasked: a run may have become available by time alone. */
  pollLookAgainMs: 1000,
  findingsMax: 100,

  // MCP (docs/mcp.md)
  /** A value that is longer, as JSON, is answered as an outline with the pointers to read next. */
  mcpValueCharactersMax: 12 * 1024,
  /** Below the minute after which clients give a call up. */
  mcpWaitMsMax: 50_000,
  mcpWaitMsDefault: 25_000,
  /** Between two notifications that a wait goes on, for calls that ask for them. */
  mcpProgressMs: 5_000,
  mcpSubscriptionsMax: 1000,
  /** The same of one session, or of one token that is no operator's. */
  mcpSubscriptionsPerCallerMax: 100,
  mcpSubscriptionsPerTreeMax: 250,
  mcpResourcesPerSubscriptionMax: 100,

  // Hooks of agent CLIs (docs/hooks.md)
  /** Refusals of a stop in a row, where the client has no cap of its own. */
  hookAttemptsMax: 100,
  /** Sessions whose refusals in a row are remembered. */
  hookFactsMax: 10_000,
  /** How long a stop waits for callbacks, where nothing else is said: below the time that installed hooks are given. */
  hookWaitMs: 4 * 60_000,
  /** How long a process waits beside an idle session to wake it. */
  hookWakeMs: 24 * 60 * 60_000,
  /** How long the gate before a tool waits for an answer. */
  hookGateMs: 8_000,
  /** How often in a row a stop is refused with callbacks that no later stop shows to have arrived. */
  hookUnheardAttemptsMax: 3,

  // Hearing
  conditionWaitsMax: 1000,
  /** The same of one session, or of one token that is no operator's. */
  conditionWaitsPerCallerMax: 250,
  conditionWaitsPerTreeMax: 500,
  streamsMax: 10_000,
  /** The same of one session, or of one token that is no operator's. A subscription of a WebSocket is a stream. */
  streamsPerCallerMax: 1000,
  streamsPerTreeMax: 2000,
  /** How long a stream lasts before its reader has to show again who it is. */
  streamMsMax: 60 * 60_000,
  /** A stream that has been idle for so long says where it is. */
  streamBookmarkMs: 15_000,
  /** A reader that takes nothing of what is there for so long is dropped. */
  streamStallMs: 10_000,
  streamEventsPerStepMax: 100,
  streamBytesPerStepMax: 256 * 1024,
  /** Bytes that are held for the readers of one caller, and of all, until they take them; what readers share counts once. */
  streamBytesPerCallerMax: 16 * 1024 * 1024,
  streamBufferBytesMax: 64 * 1024 * 1024,
  /** What was read for one reader of a stream and may serve the next. */
  streamPagesBytesMax: 8 * 1024 * 1024,
  socketsMax: 1000,
  /** Of sockets on which nobody has said yet who it is; beside the others, whose places they do not take. */
  unidentifiedSocketsMax: 64,
  /** Of the sessions of one tree, and of one token that is no operator's. */
  socketsPerTreeMax: 100,
  socketsPerCallerMax: 250,
  subscriptionsPerSocketMax: 100,
  socketMessageBytesMax: 64 * 1024,
  /** How long a WebSocket may be open before somebody says who it is, and how long one that is closed may linger. */
  socketAuthMs: 5_000,
  /** Between two looks whether the other end is still there. */
  socketPingMs: 30_000,
  /** Notices that are kept, for who comes back. */
  noticesMax: 100_000,
  noticeAgeMsMax: 7 * 24 * 60 * 60_000,

  // Retention
  /** Versions of a state that are kept; 0 keeps all. */
  historyVersionsMax: 0,
  /** Age of the versions that are kept; 0 keeps all. */
  historyAgeMsMax: 0,
  /** Between two rounds through all histories. */
  retentionRoundMs: 60_000,
  /** Between two steps of a round. */
  retentionStepMs: 200,
  retentionStatesPerStepMax: 100,
  /** Versions of one state, and notices, that one step takes away. */
  retentionRowsPerStepMax: 1000,

  // Webhooks
  webhooksMax: 100,
  /** Of these, made by sessions of one tree, and by one session. */
  webhooksPerTreeMax: 20,
  webhooksPerSessionMax: 10,
  /** One attempt, from the look-up of the name to the end of the answer. */
  webhookTimeoutMs: 15_000,
  /** How long a message is tried before it is a dead letter. */
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
  /** A patch that is longer is left out of the message, with a note on how to read it. */
  webhookPatchBytesMax: 32 * 1024,
  webhookResponseBytesMax: 2 * 1024,
  /** How long an ended delivery is kept, and how many. */
  webhookDeliveriesKeptMs: 7 * 24 * 60 * 60_000,
  webhookDeliveriesKeptMax: 10_000,
  webhookPruneMs: 60_000,
  /** Verdicts of conditions kept in memory. */
  webhookTruthsMax: 10_000,

  // Decisions
  /** How often a decision is prepared anew because the tree moved meanwhile, before that counts as a bug. */
  preparationsMax: 50,
  /** How far back the writer who broke a contract is looked for. */
  culpritEventsMax: 1000,

  // Memory
  stateFactsMax: 10_000,
  stopOrdersToldMax: 10_000,

  // Shutdown
  drainMs: 10_000,
} as const;

export type Limits = { readonly [name in keyof typeof DEFAULT_LIMITS]: number };
