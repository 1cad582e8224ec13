// Following what happens, event by event.
import { accepted, ERRORS, refused, type ErrorCode, type Outcome } from '../domain/errors.js';
import type { StreamEvent } from '../ports/api/index.js';
import type { Countersign, StreamOptions } from '../ports/service.js';

export interface WatchOptions {
  /** The id after which to go on. The present by default. */
  readonly since?: string | number | undefined;
  /** Begin with the state as it is. */
  readonly snapshot?: boolean | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Id of a state; or what happens in a tree by its root (id or name), to a state by its id, or anywhere (`{}`). */
export type WatchTarget =
  string | { readonly rootSession?: string | undefined; readonly stateId?: string | undefined };

type Dropped = Extract<StreamEvent, { readonly event: 'dropped' }>;

/** What is told, with its data by the name of the event. An end is told as a refusal. */
export type WatchEvent = Exclude<StreamEvent, Dropped>;

/**
 * Everything that happens to a state, in a tree, or anywhere (`{}`), in order and every event once, over lost
 * connections and restarts of the service.
 *
 * @returns Events, bookmarks among them. Where it cannot go on, the last is a refusal, such as `version_compacted`,
 *   `state_not_found`, `forbidden`.
 * @throws ConnectionError - The first connection could not be made, or what answers is not this service.
 */
export async function* watch(
  service: Pick<Countersign, 'streams'>,
  target: WatchTarget,
  { since, snapshot, signal }: WatchOptions = {},
): AsyncGenerator<Outcome<WatchEvent>, void, void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  const options: StreamOptions = {
    after: since === undefined ? undefined : String(since),
    snapshot,
    signal: ended.signal,
  };
  try {
    const stream = await (typeof target === 'string'
      ? service.streams.state(target, options)
      : service.streams.all(target, options));
    if (!stream.ok) {
      yield stream;
      return;
    }
    for await (const events of stream.value) {
      for (const event of events) yield event.event === 'dropped' ? refusalOf(event.data) : accepted(event);
    }
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** Why a stream was ended for good. */
function refusalOf({ error, detail, reason, ...members }: Dropped['data']): Outcome<never> {
  const code = typeof error === 'string' && isCode(error) ? error : 'overloaded';
  const words = typeof detail === 'string' ? detail : `The stream has ended: ${JSON.stringify(reason)}.`;
  return refused(code, words, members);
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
