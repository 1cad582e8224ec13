// The list of runners, with how many runs each has.
import { mayReachTree, mayUse } from '../../domain/access/access.js';
import { ok, type Result } from '../../domain/errors.js';
import { isJsonArray, parsedJson } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { noRun } from '../../domain/lifecycle/run.js';
import type { Runner } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { BadCursorError } from '../../ports/storage/reader.js';
import type { Store } from '../../ports/storage/store.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { runnerView } from '../views.js';

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
}

/** The name of the list in its cursors, so that those of other lists are none of it. */
const LIST = 'runners';

/** Where a runner is in the list: by registration, then by id. */
type Position = Pick<Runner, 'createdAt' | 'runnerId'>;

/** Runners, the first to register first. A page is a part of the whole list, which is short. */
export function listRunners(
  caller: Caller<Parts>,
  { limit = caller.context.limits.listItemsDefault, cursor }: api.PageQuery,
): Promise<Result<api.Listed<api.RunnerView>>> {
  const { read } = caller.context.store;
  return andThen(mayUse(caller.actor, 'read'), async () => {
    const last = cursor === undefined ? null : positionIn(cursor);
    const remaining = [...(await read.runners())]
      .sort(compare)
      .filter((one) => last === null || compare(one, last) > 0);
    const shown = remaining.slice(0, limit);
    const items = await Promise.all(shown.map((one) => viewFor(caller, one)));
    const end = shown.at(-1);
    return ok({
      items,
      next_cursor: remaining.length > limit && end !== undefined ? cursorAfter(end) : null,
    });
  });
}

/** A session sees the runs of its own tree only. */
async function viewFor({ context, actor }: Caller<Parts>, runner: Runner): Promise<api.RunnerView> {
  const runs = await context.store.read.runsOfRunner(runner.runnerId);
  const seen = runs.filter(
    ({ rootSessionId, runId }) => mayReachTree(actor, rootSessionId, () => noRun(runId)).ok,
  );
  return runnerView(runner, seen.length, actor.kind !== 'session');
}

function compare(one: Position, other: Position): number {
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  return one.runnerId < other.runnerId ? -1 : Number(one.runnerId > other.runnerId);
}

function cursorAfter({ createdAt, runnerId }: Position): string {
  return Buffer.from(JSON.stringify([LIST, createdAt, runnerId])).toString('base64url');
}

/** @throws BadCursorError The cursor is not one of this list. */
function positionIn(cursor: string): Position {
  const parsed = parsedJson(Buffer.from(cursor, 'base64url').toString());
  const [list, createdAt, runnerId] = isJsonArray(parsed) ? parsed : [];
  if (list === LIST && typeof createdAt === 'number' && typeof runnerId === 'string') {
    return { createdAt, runnerId };
  }
  throw new BadCursorError('The cursor is not one of the list of runners');
}
