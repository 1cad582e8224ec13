// Follows the events of a state, a tree or the service.
import { ok, fail, isErrorCode, type Result } from '../domain/errors.js';
import { linkSignals } from '../lib/signals.js';
import type { StreamEvent } from '../ports/api/index.js';
import type { Countersign, EventStream, StreamOptions } from '../ports/service.js';

/** Options of {@link watch}. */
export interface WatchOptions {
  /** Event id to resume after. By default the stream begins at the present. */
  readonly since?: string | number | undefined;
  /** Sends the current state first. */
  readonly snapshot?: boolean | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** A state by its id; or all events of a tree (id or name of its root), of a state (id), or of the service (`{}`). */
export type WatchTarget =
  string | { readonly rootSession?: string | undefined; readonly stateId?: string | undefined };

type Dropped = Extract<StreamEvent, { readonly event: 'dropped' }>;

/** An event with its data, discriminated by name. The end of a stream is yielded as a failure instead. */
export type WatchEvent = Exclude<StreamEvent, Dropped>;

/**
 * Yields every event of a state, a tree or the service (`{}`), in order and exactly once, across lost
 * connections and service restarts.
 *
 * @example
 * ```ts
 * for await (const event of watch(client, { rootSession: 'release-42' })) {
 *   if (event.ok) console.log(event.value.event, event.value.data);
 * }
 * ```
 *
 * @returns Events, including bookmarks. If the stream cannot continue, the last item is a failure, such as
 *   `version_compacted`, `state_not_found`, `forbidden`.
 * @throws ConnectionError - The first connection failed, what replies is not this service, or the signal of the client
 *   aborted.
 */
export async function* watch(
  service: Pick<Countersign, 'streams'>,
  target: WatchTarget,
  { since, snapshot, signal }: WatchOptions = {},
): AsyncGenerator<Result<WatchEvent>, void, void> {
  if (signal?.aborted === true) return;
  const ended = linkSignals(signal);
  const options: StreamOptions = {
    after: since === undefined ? undefined : String(since),
    snapshot,
    signal: ended.signal,
  };
  try {
    const stream = await opened(service, target, options);
    if (stream === null) return;
    if (!stream.ok) {
      if (!ended.signal.aborted) yield stream;
      return;
    }
    for await (const events of stream.value) {
      for (const event of events) {
        // The caller may have aborted while it handled the event before, which arrived together with this one.
        if (ended.signal.aborted) return;
        yield event.event === 'dropped' ? failureOf(event.data) : ok(event);
      }
    }
  } finally {
    ended.release();
    ended.abort();
  }
}

/** The stream; `null` if the caller ended it while it was opened. */
async function opened(
  { streams }: Pick<Countersign, 'streams'>,
  target: WatchTarget,
  options: StreamOptions,
): Promise<Result<EventStream> | null> {
  try {
    return await (typeof target === 'string' ? streams.state(target, options) : streams.all(target, options));
  } catch (error) {
    if (options.signal?.aborted === true) return null;
    throw error;
  }
}

/** Why the service ended the stream. */
function failureOf({ error, detail, reason, ...members }: Dropped['data']): Result<never> {
  const code = typeof error === 'string' && isErrorCode(error) ? error : 'overloaded';
  const words = typeof detail === 'string' ? detail : `The stream has ended: ${JSON.stringify(reason)}.`;
  return fail(code, words, members);
}
