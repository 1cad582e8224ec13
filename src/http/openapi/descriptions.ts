// Descriptions of the operations, by operation id: what each does and guarantees beyond its summary. An operation
// without an entry has its summary only.

/** Descriptions of the tags. */
export const TAGS: Readonly<Record<string, string>> = {
  Schemas: 'JSON Schemas that documents satisfy, in versions that never change.',
  States: 'The document of a tree of sessions, with every version that it had.',
  Keys: 'The top-level members of a document, each with a version of its own.',
  Workflow: 'The record that an orchestrator keeps in a state: agents, decisions, verdicts, hand-offs.',
  Sessions: 'Sessions of agents in trees, their completions, and the callbacks that they pull.',
  Agents: 'Named agents, from files of the service.',
  Runs: 'Work that is asked of agents.',
  Runners: 'What runners call to take runs and to report on them.',
  Callbacks: 'Messages to parents about children that have ended.',
  Webhooks: 'URLs that receive events of commits.',
  Streams: 'Changes as they happen.',
  Hooks: 'Hooks of agent CLIs, answered without a script between.',
  Service: 'The service itself: health, numbers, MCP, this document.',
};

/** Descriptions of the operations, by operation id. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  registerSchema:
    'Gives the content a new version under its name, and answers 201. If the newest version has the same content, nothing is written, and the answer is 200. With `dry_run` the answer says what a registration would do.',
  listSchemas: 'The newest version of each name, page by page. `name` keeps one name.',
  getSchema: 'The version that `version` names, or the newest.',
  validateDocument:
    'Says whether a state could begin with the document, and why not. Changes nothing. A document beyond a limit is refused.',
  listSchemaVersions: 'Every version of one name, the newest first, page by page.',
  deleteSchemaVersion:
    'Refused with `schema_in_use` while a state is on the version or has it in its history. A deleted number is not used again.',
  createState:
    'Gives the tree of a root session its state at version 1. The document has to satisfy the schema. A tree has one state at most: `state_exists` names it.',
  listStates: 'States page by page. `include=data` adds the documents.',
  getState:
    'The whole state, or with `pointer` one value. With `after_version` the answer waits, up to `wait`, for a version above that. With `If-None-Match` a version that the caller has is answered with 304.',
  waitForState:
    'Answers as soon as the document satisfies `until`, or `fail_on`, or when `timeout_ms` is over. Changes nothing.',
  replaceState:
    'Writes a whole document as a new version. `expected_version` or `If-Match` name the version that it replaces; with `base_version` the writes of others since then are merged in.',
  patchState:
    'Applies a JSON Patch or a merge patch, whole or not at all. The document after it has to satisfy the schema, its rules of change and the write scope of the session.',
  migrateState:
    'Moves the state to another version of its schema and applies `operations` to the document, as one write.',
  operateOnState: 'Applies operators to the current document, so that no concurrent write is lost.',
  diffState: 'Computes the patch between two versions. `to` defaults to the current one.',
  revertState: 'Writes the document of an old version as a new version, on the same terms as any write.',
  listStateEvents:
    'Each event is one accepted write, with its patch. `since` names the version after which to begin.',
  deleteState: 'Deletes the state with its history. Open completions of its tree become `skipped`.',
  openKeyState: 'Gives the tree of a root session its state, on the schema `free-form` if none is named.',
  getKeys: 'All keys of the document that the tree of the session shares.',
  getKey: 'The value of one key, with the version of the state in which it last changed.',
  setKey: 'Sets one key to a value. `If-Match` names the version that the key has to have.',
  deleteKey: 'Deletes one key. `If-Match` names the version that the key has to have.',
  operateOnKey: 'Increments a number, appends to an array, or merges into an object, on the current value.',
  writeKeys: 'Sets and deletes keys in one write. If one condition does not hold, nothing is written.',
  listKeyEvents: 'The history of the state, as events of its keys.',
  appendKeyEvent: 'A write of one key, or of the whole document, in the form of the event that it becomes.',
  getWorkflow:
    'The mode, the phase, the agents at work, pending hand-offs, open decisions, and the summary of the verdicts. The state has to be on a workflow schema.',
  startInvocation:
    'Adds an invocation and makes its agent the active one. The oldest pending hand-off to the agent is consumed; its context and artifacts stand in the input of the invocation.',
  completeInvocation:
    'Sets status and output of an invocation that is in progress. An ended one does not change.',
  addDecision: 'Adds a decision that nobody has approved yet.',
  approveDecision: 'Adds the agent to those who approve. What it said before on the decision is taken back.',
  rejectDecision: 'Adds the agent to those who reject. What it said before on the decision is taken back.',
  addVerdict: 'Adds a verdict. Of each agent the newest one counts.',
  handOff: 'Adds a hand-off that is pending until its agent starts.',
  setPhase: 'Any phase may follow any other.',
  setMode:
    'If the schema or the folder of agents defines modes, the new mode has to be one that may follow. Only the operator and the root enter `disabled`, in which the gate lets every tool pass.',
  addEvidence: 'Evidence that is there stays as it is. `complete` ends the protocol.',
  compactWorkflow:
    'Moves ended invocations out of the record, except the newest ones, in the commit that writes the archive. The service does this on its own when the record has more than ten. Decisions and verdicts always stay.',
  getWorkflowArchive:
    'The invocations of one archive, as they stood in the record. `compaction_history` of the record names the archives. An archive is removed by its age, after 30 days by default.',
  createSession:
    'Makes a session without giving it work. An external session is run by somebody else, who reports its events.',
  listSessions:
    'Sessions page by page, of one tree, one parent, one status or one status of the state update.',
  getSession: 'One session, by its id or its name.',
  getSessionTree: 'The session with its descendants, each with its children.',
  getSessionResult: 'The text and the data that the last work of the session ended with.',
  getSessionState: 'The workflow state of the tree that the session belongs to.',
  deleteSession:
    'Deletes a session. Refused with `session_busy` while it has work under way. Its id stays taken.',
  reportSessionEvent:
    'Tells the service what an external session does. The answer of a `session_stop` may hold a request to write the state.',
  stopSession:
    'Asks for the end of the runs of the session. The answer does not wait for it. The parent is told the reason.',
  listCompletions:
    'Completions of the current work of sessions, page by page, of one tree or one status of the state update.',
  getCompletion: 'The status of the state update, with every attempt and why it was not enough.',
  skipCompletion: 'Ends an open completion without an update, and releases the callback to the parent.',
  retryCompletion: 'Starts an ended completion anew, with a new first attempt.',
  pullCallbacks:
    'Hands over callbacks to a parent whose delivery is `pull`. Each is given again until it is acknowledged. A parent that runs resume may pull for itself too; anybody else only sees its callbacks, and they stay on their way to it.',
  listAgents: 'Every agent that has a file, page by page. One whose file is broken is listed as such.',
  getAgent: 'One agent. Commands, arguments and secrets of its file are not shown.',
  createRun:
    'Puts a run in the queue: a new session with work, or further work for one that there is. A runner takes it.',
  listRuns: 'Runs page by page, of one status, one session or one tree.',
  getRun: 'One run, with its status and what it has used.',
  stopRun:
    'Asks the runner to end the run. The answer does not wait for it. The reason becomes part of its `error`.',
  registerRunner: 'Registers a runner. The answer says how often it has to call.',
  pollRuns:
    'Hands runs to the runner under a lease, and names the runs that it is to stop. 204 if there is nothing.',
  heartbeat: 'Renews the leases of the runs that the runner holds, and names those that it has lost.',
  reportRunStarted: 'Says that the agent of a run has started, and which executor runs it.',
  reportRunCompleted: 'Ends a run successfully, with its text and data.',
  reportRunFailed: 'Ends a run with an error. `cause` says whether trying again can help.',
  reportRunStopped: 'Ends a run that was asked to stop.',
  listRunners: 'Every runner that is registered.',
  deleteRunner: 'Removes a runner. Its leases end, and its runs are given to others.',
  listCallbacks: 'Callbacks page by page, of one status or one tree.',
  acknowledgeCallback: 'Marks a delivered callback as dealt with: it is not given again.',
  redeliverCallback: 'Sends a callback again that has been delivered, or that is dead, and keeps the reason.',
  createWebhook:
    'From now on each commit that the webhook asks for is sent to its URL. The answer alone shows the secret that signs the messages.',
  listWebhooks: 'Webhooks page by page. A session sees those of its own tree.',
  getWebhook: 'One webhook, without its secret.',
  deleteWebhook: 'Deletes a webhook and all of its deliveries.',
  enableWebhook: 'Enables a webhook. What was committed while it was disabled is not sent.',
  disableWebhook: 'Disables a webhook. Deliveries that have not ended become dead letters.',
  listWebhookDeliveries: 'Deliveries page by page, the newest first, with each attempt and its answer.',
  redeliverWebhookDelivery:
    'Sends a delivery again that has ended, with the same id and the same body, and keeps the reason.',
  streamState:
    'Server-Sent Events: every accepted write of one state, in order and once each. `Last-Event-ID` or `since` name the version after which to begin.',
  stream:
    'Server-Sent Events: changes of states, sessions, runs, completions and callbacks, in one order. `Last-Event-ID` or `since` name the place after which to begin.',
  answerHook: 'Takes what the client writes to its hook, and answers in the form that the client expects.',
  mcp: 'Each request stands alone. Errors of the protocol are JSON-RPC errors, with 400 if the request is no message.',
  doctor: 'Looks through the database for what must never be, such as gaps in a history. Changes nothing.',
  overview:
    'Counts trees, states, sessions, completions, runs, callbacks, deliveries and runners. Not for sessions.',
  whoAmI: 'The session or token of the request, and what it may use. Open to every caller.',
  activity:
    'Writes and ended runs of the last 60 minutes, minute by minute, as far as this coordinator has seen them since it started. Not for sessions.',
  health: 'Says that the process answers. Looks at nothing else.',
  readiness: 'Says whether the database answers and the service is not stopping.',
  metrics: 'Numbers in the text format of Prometheus.',
  openapi: 'The document that you are reading.',
  docs: 'The same as an HTML page without scripts.',
};
