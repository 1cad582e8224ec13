// Records with every member set, for tests: say what matters, the rest is plain.
import type { DomainEvent } from '../../src/domain/records/domain-event.js';
import { eventHash, snapshotHash } from '../../src/domain/evidence/hashes.js';
import type * as records from '../../src/domain/records/records.js';

/** When the records were made, unless a test says otherwise. */
export const NOW = 1_750_000_000_000;

export function aSchema(over: Partial<records.WorkflowSchema> = {}): records.WorkflowSchema {
  return {
    schemaId: 'sch_1',
    name: 'plan',
    version: 1,
    jsonSchema: { type: 'object' },
    hash: 'hash-of-plan',
    description: null,
    compatibility: 'none',
    ownerRootSessionId: null,
    createdAt: NOW,
    updatedAt: NOW,
    revision: 1,
    ...over,
  };
}

/** Its newest event is `anEvent` of its version, unless a test says otherwise. */
export function aState(over: Partial<records.StateHead> = {}): records.StateHead {
  const { stateId = 'wst_1', rootSessionId = 'ses_root', version = 1 } = over;
  return {
    stateId,
    schemaId: 'sch_1',
    rootSessionId,
    version,
    snapshotVersion: 1,
    patchBytesSinceSnapshot: 0,
    lastHash: hashAt({ stateId, rootSessionId }, version),
    createdAt: NOW,
    updatedAt: NOW,
    updatedBy: null,
    lenient: false,
    unsignedThrough: 0,
    signature: null,
    revision: 1,
    ...over,
  };
}

/** The hash of `anEvent` at a version; `''` for none. */
export function hashAt(of: Pick<records.StateEvent, 'stateId' | 'rootSessionId'>, version: number): string {
  let hash = '';
  for (let at = 1; at <= version; at += 1) ({ hash } = anEvent({ ...of, version: at, previousHash: hash }));
  return hash;
}

/** Version n is chained to `anEvent` of version n - 1. */
export function anEvent(over: Partial<records.StateEvent> = {}): records.StateEvent {
  const { stateId = 'wst_1', rootSessionId = 'ses_root', version = 1 } = over;
  const event = {
    eventId: `evt_${version}`,
    stateId,
    rootSessionId,
    version,
    kind: version === 1 ? ('create' as const) : ('json_patch' as const),
    patchText: `[{"op":"add","path":"/n","value":${version}}]`,
    sessionId: null,
    runId: null,
    tokenName: null,
    toolCallId: null,
    late: false,
    createdAt: NOW,
    fromSchemaId: null,
    toSchemaId: null,
    previousHash: over.previousHash ?? hashAt({ stateId, rootSessionId }, version - 1),
    signature: null,
    ...over,
  };
  return { ...event, hash: over.hash ?? eventHash(event) };
}

/** Events of one state, from version 1 on: each is chained to the one before. */
export function aChain(...overs: Partial<records.StateEvent>[]): records.StateEvent[] {
  let previousHash = '';
  return overs.map((over, index) => {
    const event = anEvent({ ...over, version: index + 1, previousHash });
    previousHash = event.hash;
    return event;
  });
}

export function aSnapshot(over: Partial<records.StateSnapshot> = {}): records.StateSnapshot {
  const { stateId = 'wst_1', rootSessionId = 'ses_root', version = 1, text = '{"n":1}' } = over;
  const eventHash = hashAt({ stateId, rootSessionId }, version);
  const snapshot = { stateId, rootSessionId, version, text, eventHash };
  return { ...snapshot, hash: snapshotHash(snapshot), signature: null, ...over };
}

export function completionSettings(
  over: Partial<records.CompletionSettings> = {},
): records.CompletionSettings {
  return {
    mode: 'always',
    contract: null,
    writeScope: null,
    attemptsMax: 3,
    timeoutMs: 120_000,
    retryDelayMs: 5_000,
    ...over,
  };
}

export function demands(over: Partial<records.Demands> = {}): records.Demands {
  return { hostname: null, executorType: null, tags: [], ...over };
}

/** A root, named after its id; `childOf` makes a child. */
export function aSession(over: Partial<records.Session> = {}): records.Session {
  const sessionId = over.sessionId ?? 'ses_root';
  return {
    sessionId,
    sessionName: sessionId,
    status: 'running',
    parentSessionId: null,
    parentSessionName: null,
    rootSessionId: sessionId,
    depth: 0,
    external: false,
    heartbeatTimeoutMs: null,
    heartbeatAt: null,
    agentName: null,
    projectDir: null,
    executorType: null,
    executorSessionId: null,
    hostname: null,
    callback: false,
    delivery: 'resume',
    callbackUrl: null,
    callbackSecret: null,
    settings: completionSettings(),
    stateContext: true,
    stateSummary: true,
    recorded: true,
    demands: demands(),
    generation: 1,
    createdAt: NOW,
    updatedAt: NOW,
    lastResumedAt: null,
    deletedAt: null,
    revision: 1,
    ...over,
  };
}

export function childOf(
  parent: records.Session,
  sessionId: string,
  over: Partial<records.Session> = {},
): records.Session {
  return aSession({
    sessionId,
    parentSessionId: parent.sessionId,
    parentSessionName: parent.sessionName,
    rootSessionId: parent.rootSessionId,
    depth: parent.depth + 1,
    ...over,
  });
}

export function aCompletion(
  session: records.Session,
  over: Partial<records.Completion> = {},
): records.Completion {
  return {
    sessionId: session.sessionId,
    generation: session.generation,
    rootSessionId: session.rootSessionId,
    status: 'none',
    settings: session.settings,
    workOutcome: null,
    resultText: null,
    resultData: null,
    workError: null,
    workCause: null,
    attempt: 0,
    environmentRetries: 0,
    attempts: [],
    request: null,
    wrote: false,
    resultHash: null,
    lastWriteVersion: null,
    changes: [],
    changesTruncated: false,
    lastErrors: [],
    broken: null,
    reason: null,
    causeFingerprint: null,
    releasedAt: null,
    dueAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    revision: 1,
    ...over,
  };
}

export function aRun(session: records.Session, runId: string, over: Partial<records.Run> = {}): records.Run {
  return {
    runId,
    type: 'start_session',
    purpose: 'work',
    sessionId: session.sessionId,
    sessionName: session.sessionName,
    rootSessionId: session.rootSessionId,
    generation: session.generation,
    prompt: 'Do it.',
    status: 'pending',
    attempt: 0,
    leaseHash: null,
    leaseExpiresAt: null,
    runnerId: null,
    demands: session.demands,
    timeoutMs: null,
    availableAt: NOW,
    metadata: {},
    error: null,
    cause: null,
    stopReason: null,
    usage: null,
    createdAt: NOW,
    claimedAt: null,
    startedAt: null,
    completedAt: null,
    dueAt: null,
    revision: 1,
    ...over,
  };
}

export function aRunner(over: Partial<records.Runner> = {}): records.Runner {
  return {
    runnerId: 'rnr_1',
    hostname: 'host-a',
    projectDir: null,
    executorTypes: ['command'],
    tags: [],
    concurrentMax: 4,
    lastSeenAt: NOW,
    createdAt: NOW,
    revision: 1,
    ...over,
  };
}

export function aCallback(
  parent: records.Session,
  child: records.Session,
  over: Partial<records.Callback> = {},
): records.Callback {
  const isHandedOn = !['held', 'dead', undefined].includes(over.status);
  return {
    callbackId: `cb_${child.sessionId}_${child.generation}`,
    rootSessionId: parent.rootSessionId,
    parentSessionId: parent.sessionId,
    parentGeneration: parent.generation,
    childSessionId: child.sessionId,
    childSessionName: child.sessionName,
    childGeneration: child.generation,
    status: 'held',
    delivery: parent.delivery,
    runId: null,
    deliveryId: null,
    outcome: null,
    updateStatus: null,
    stateVersion: null,
    message: isHandedOn ? 'The child is done.' : null,
    reason: null,
    createdAt: NOW,
    queuedAt: null,
    deliveredAt: null,
    acknowledgedAt: null,
    revision: 1,
    ...over,
  };
}

export function aTree(over: Partial<records.Tree> = {}): records.Tree {
  return {
    rootSessionId: 'ses_root',
    stateId: null,
    failureFingerprint: null,
    failuresInARow: 0,
    revision: 1,
    ...over,
  };
}

export function aToken(over: Partial<records.Token> = {}): records.Token {
  return {
    tokenId: 'tok_1',
    name: 'ci',
    role: 'reader',
    hash: 'hash-of-token',
    createdAt: NOW,
    revokedAt: null,
    revision: 1,
    ...over,
  };
}

export function aWebhook(over: Partial<records.Webhook> = {}): records.Webhook {
  return {
    webhookId: 'whk_1',
    url: 'https://ci.example/hook',
    origin: 'https://ci.example',
    events: ['workflow_state_updated'],
    rootSessionId: null,
    stateId: null,
    ownerSessionId: null,
    schemaName: null,
    when: null,
    secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz',
    enabled: true,
    disabledReason: null,
    createdAt: NOW,
    updatedAt: NOW,
    revision: 1,
    ...over,
  };
}

export function aDelivery(over: Partial<records.WebhookDelivery> = {}): records.WebhookDelivery {
  return {
    deliveryId: 'dlv_1',
    webhookId: 'whk_1',
    callbackId: null,
    rootSessionId: 'ses_root',
    origin: 'https://ci.example',
    type: 'workflow_state_updated',
    stateId: 'wst_1',
    version: 2,
    status: 'pending',
    attempt: 0,
    failures: 0,
    attempts: [],
    dueAt: NOW,
    expiresAt: NOW + 86_400_000,
    reason: null,
    createdAt: NOW,
    endedAt: null,
    revision: 1,
    body: '{"type":"workflow_state_updated"}',
    ...over,
  };
}

export function aDestination(over: Partial<records.WebhookDestination> = {}): records.WebhookDestination {
  return {
    origin: 'https://ci.example',
    status: 'closed',
    failures: 0,
    opens: 0,
    until: null,
    updatedAt: NOW,
    revision: 1,
    ...over,
  };
}

/** The next revision of a record, with some members changed. */
export function next<R extends { readonly revision: number }>(record: R, over: Partial<R> = {}): R {
  return { ...record, ...over, revision: record.revision + 1 };
}

export const aNotice = (subjectId: string, over: Partial<DomainEvent> = {}): DomainEvent => ({
  kind: 'session',
  subjectId,
  rootSessionId: 'ses_root',
  createdAt: NOW,
  facts: { session_id: subjectId, n: [1] },
  ...over,
});

export const anArchive = (
  archiveId: string,
  over: Partial<records.WorkflowArchive> = {},
): records.WorkflowArchive => ({
  archiveId,
  stateId: 'wst_1',
  rootSessionId: 'ses_root',
  createdAt: NOW,
  invocations: [{ invocation_id: 'inv_1', agent: 'coder', output: { summary: 'ä \u{1F600}' } }],
  ...over,
});
