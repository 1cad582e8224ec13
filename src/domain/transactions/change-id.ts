// The id of the record that a change is about.
import type { Change } from './changeset.js';

/** The id of the record that is written or removed; unique within its kind. */
export function idOf(change: Change): string {
  if ('remove' in change) return change.id;
  switch (change.put) {
    case 'schema':
      return change.record.schemaId;
    case 'state':
      return change.record.stateId;
    case 'event':
    case 'snapshot':
      return `${change.record.stateId}@${String(change.record.version)}`;
    case 'notice':
      return `${change.record.kind}:${change.record.subjectId}`;
    case 'receipt':
      return change.record.receiptId;
    case 'archive':
      return change.record.archiveId;
    case 'readCursor':
      return `${change.record.stateId}#${change.record.sessionId}`;
    case 'session':
      return change.record.sessionId;
    case 'completion':
      return contractResultKey(change.record);
    case 'run':
      return change.record.runId;
    case 'runner':
      return change.record.runnerId;
    case 'callback':
      return change.record.callbackId;
    case 'tree':
      return change.record.rootSessionId;
    case 'token':
      return change.record.tokenId;
    case 'webhook':
      return change.record.webhookId;
    case 'delivery':
      return change.record.deliveryId;
    case 'destination':
      return change.record.origin;
  }
}

/** Key of one completion, and of its contract result. */
export function contractResultKey(completion: {
  readonly sessionId: string;
  readonly generation: number;
}): string {
  return `${completion.sessionId}#${String(completion.generation)}`;
}
