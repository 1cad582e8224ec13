// Use case: the difference between two versions of a state.
import type { StateHead } from '../../domain/records/records.js';
import type { Result } from '../../domain/errors.js';
import { ok } from '../../domain/errors.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { Caller } from '../caller.js';
import { differenceOf } from '../documents/document-work.js';
import { andThen } from '../results.js';
import { documentAt } from '../documents/state-versions.js';

interface Parts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
}

/** @see StateService.diff */
export function diffVersions(
  caller: Caller<Parts>,
  head: StateHead,
  query: api.DiffQuery,
): Promise<Result<api.StateDiff>> {
  return andThen(documentAt(caller, head, query.from), (from) =>
    andThen(documentAt(caller, head, query.to), async (to) => {
      return andThen(await differenceOf(caller.context, from.document, to.document), (patch) =>
        ok({
          from: from.version,
          to: to.version,
          patch: patch.map((operation) => ({ ...operation })),
        }),
      );
    }),
  );
}
