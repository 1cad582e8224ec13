// A write without a change, which may repeat the result that its session has recorded. The decision knows whether it does.
import type { JsonObject } from '../../domain/json/json.js';
import { valueAt } from '../../domain/json/pointer.js';
import { valueHash } from '../../domain/json/value-hash.js';
import type { RepeatedWrite, Writer, WriterTerms } from '../../domain/states/write.js';

/** @returns The event for its session's completion; `undefined` if the writer is no session, or has no contract. */
export function repeatedWrite(
  { sessionId, runId }: Writer,
  terms: WriterTerms | null,
  document: JsonObject,
): RepeatedWrite | undefined {
  const contract = terms?.settings.contract ?? null;
  if (sessionId === null || terms === null || contract === null) return undefined;
  const hash = valueHash(valueAt(document, contract.pointer));
  return { sessionId, runId, generation: terms.generation, contract, valueHash: hash };
}
