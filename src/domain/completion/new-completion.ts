// The initial completion of a generation.
import type { Completion, CompletionSettings } from '../records/records.js';

export function newCompletion(
  of: Pick<Completion, 'sessionId' | 'generation' | 'rootSessionId'>,
  settings: CompletionSettings,
  now: number,
): Completion {
  return {
    sessionId: of.sessionId,
    generation: of.generation,
    rootSessionId: of.rootSessionId,
    status: 'none',
    settings,
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
    createdAt: now,
    updatedAt: now,
    revision: 0,
  };
}
