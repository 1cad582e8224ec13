// Reads of a state that wait for a newer version.
import { ok, invalidMember, type Result } from '../../../domain/errors.js';
import type { StateGetQuery } from '../../../ports/api/index.js';
import type { WaitOptions } from '../../../ports/service.js';
import type { MaybePromise } from '../../../lib/maybe-promise.js';
import type { CallerCall } from '../../endpoint.js';
import { parseWaitMs } from '../../requests/wait.js';

/**
 * @returns The wait that the query asks for, `undefined` for none; or `invalid_request` if the query contradicts
 * itself.
 */
export function waitOptions(query: StateGetQuery, waitMsMax: number): Result<WaitOptions | undefined> {
  const { after_version: afterVersion, at_version: atVersion, wait } = query;
  if (afterVersion === undefined) {
    if (wait === undefined) return ok(undefined);
    return invalidMember('/query/wait', 'needs after_version', 'after_version: the version that you have');
  }
  if (atVersion !== undefined) {
    return invalidMember('/query/at_version', 'contradicts after_version', 'one of the two');
  }
  return ok({ afterVersion, waitMs: parseWaitMs(wait, waitMsMax) });
}

/** Reads. A read that waits ends as soon as the caller disconnects or loses its access, or the server stops. */
export function awaiting<T>(
  { context, actor }: Pick<CallerCall<unknown, unknown>, 'context' | 'actor'>,
  wait: WaitOptions | undefined,
  read: (wait: WaitOptions | undefined) => MaybePromise<Result<T>>,
): MaybePromise<Result<T>> {
  if (wait === undefined) return read(undefined);
  return context.waiting(actor, async (signal) => read({ ...wait, signal }));
}
