// Reads a state's document at a requested version.
import { ok, type Result } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import { noVersion } from '../../domain/states/expected-version.js';
import { compacted } from './compacted.js';
import type { Store } from '../../ports/storage/store.js';
import type { Documents } from './documents.js';
import type { Caller } from '../caller.js';

interface Parts {
  readonly store: Store;
  readonly documents: Documents;
}

/** @returns The document and its version, by default the head's; or `version_not_found` or `version_compacted`. */
export async function documentAt(
  { context }: Caller<Parts>,
  head: StateHead,
  atVersion = head.version,
): Promise<Result<{ document: JsonObject; version: number }>> {
  const { documents } = context;
  const document =
    atVersion === head.version
      ? await documents.at(head)
      : atVersion > head.version
        ? null
        : await documents.past(head.stateId, atVersion);
  if (document !== null) return ok({ document, version: atVersion });
  const unavailable = await compacted(context, head.stateId, atVersion);
  if (unavailable !== null) return unavailable;
  return noVersion(atVersion, head.version);
}
