// Use case: the difference between two versions of a state.
import type { StateHead } from '../../domain/records/records.js';
import type { Result } from '../../domain/errors.js';
import { ok } from '../../domain/errors.js';
import type * as api from '../../ports/api/index.js';
import type { Caller } from '../caller.js';
import { differenceOf } from '../documents/document-work.js';
import { andThen } from '../results.js';
import { documentAt } from '../documents/state-versions.js';
import type { StateParts } from './parts.js';

/** @see StateService.diff */
export function diffVersions(
  caller: Caller<StateParts>,
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
