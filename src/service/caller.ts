// Who calls a use case, and what the use case is given.
import type { Actor } from '../domain/access/actor.js';
import type { ReadLog } from '../ports/host.js';

/** @typeParam Parts - What the use case uses: each file declares its own. `index.ts` creates all of it. */
export interface Caller<Parts> {
  readonly context: Parts;
  readonly actor: Actor;
  /** Where reads are noted. Absent: they count at once. */
  readonly reads?: ReadLog | undefined;
}
