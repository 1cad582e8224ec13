// Finds the record that a change replaces among the records that its decision was made on.
import type { Put } from '../../../../domain/transactions/changeset.js';
import type { LoadedRecords } from '../../../../domain/transactions/loaded-records.js';

/** @returns The stored record; `undefined` if it is not known, or if no other revision of it is. */
export function replacedRecord(
  { put, record }: Put,
  { aggregates, runs, callbacks }: LoadedRecords,
): object | undefined {
  const found = () => {
    switch (put) {
      case 'session':
        return aggregates.get(record.sessionId)?.session;
      case 'completion':
        return aggregates
          .get(record.sessionId)
          ?.completions.find(({ generation }) => generation === record.generation);
      case 'run': {
        const same = ({ runId }: { readonly runId: string }) => runId === record.runId;
        return aggregates.get(record.sessionId)?.runs.find(same) ?? runs.get(record.runId);
      }
      case 'callback': {
        const same = ({ callbackId }: { readonly callbackId: string }) => callbackId === record.callbackId;
        return aggregates.get(record.childSessionId)?.outbox.find(same) ?? callbacks.get(record.callbackId);
      }
      default:
        return undefined;
    }
  };
  const before = found();
  return before !== undefined && 'revision' in record && before.revision === record.revision - 1
    ? before
    : undefined;
}
