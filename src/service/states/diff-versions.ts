// Use case: the difference between two versions of a state.
import type { StateHead } from '../../domain/records/records.js';
import type { Outcome } from '../../domain/errors.js';
import { accepted } from '../../domain/errors.js';
import type * as api from '../../ports/api/index.js';
import type { Caller } from '../context.js';
import { differenceOf } from '../writes/document-work.js';
import { andThen } from '../outcomes.js';
import { documentAt } from './state-versions.js';

/** @see StateService.diff */
export function diffVersions(
  caller: Caller,
  head: StateHead,
  query: api.DiffQuery,
): Promise<Outcome<api.StateDiff>> {
  return andThen(documentAt(caller, head, query.from), (from) =>
    andThen(documentAt(caller, head, query.to), async (to) => {
      return andThen(await differenceOf(caller.context, from.document, to.document), (patch) =>
        accepted({
          from: from.version,
          to: to.version,
          patch: patch.map((operation) => ({ ...operation })),
        }),
      );
    }),
  );
}
