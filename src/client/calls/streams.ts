// Streams over HTTP. A stream reconnects after a lost connection and resumes after the last event id: no
// event is skipped or repeated.
import { ok, ERRORS, type Result } from '../../domain/errors.js';
import type { StreamEvent } from '../../ports/api/index.js';
import type { EventStream, StreamOptions, StreamService } from '../../ports/service.js';
import { ConnectionError } from '../transport/connection-error.js';
import { eventsOf } from '../transport/event-source.js';
import { backoffMs, sleep } from '../../lib/backoff.js';
import { isLost, RECONNECT } from '../transport/retry.js';
import { get, type Call } from '../transport/call.js';
import { isNetworkError, type OpenReply, type Transport } from '../transport/transport.js';

type Open = (after: string | undefined) => Promise<Result<OpenReply>>;

export function streamCalls({ open, signal: ofClient }: Transport): StreamService {
  const start = async (call: Call, { after, signal }: StreamOptions): Promise<Result<EventStream>> => {
    const connect: Open = (last) =>
      open({ ...call, headers: last === undefined ? {} : { 'last-event-id': last }, signal });
    const first = await connect(after);
    return first.ok ? ok(resuming(connect, first.value, after, { signal, ofClient })) : first;
  };
  return {
    state: (stateId, options = {}) => {
      const query = { snapshot: options.snapshot === true ? true : undefined };
      return start({ ...get('workflow-states', stateId, 'stream'), query }, options);
    },
    all: ({ rootSession, stateId }, options = {}) =>
      start({ ...get('stream'), query: { root_session: rootSession, state_id: stateId } }, options),
  };
}

/**
 * Yields single events, because a signal may abort between two that arrive together.
 *
 * @param signals - The caller's `signal` ends the stream.
 * @throws ConnectionError - What replies is not this service, or the signal of the client (`ofClient`) aborted.
 */
async function* resuming(
  connect: Open,
  first: OpenReply,
  after: string | undefined,
  { signal, ofClient }: { signal: AbortSignal | undefined; ofClient: AbortSignal | undefined },
): AsyncGenerator<readonly StreamEvent[]> {
  let body: OpenReply | null = first;
  let last = after;
  const isOver = () => signal?.aborted === true;
  for (let failures = 0; !isOver();) {
    if (body !== null) {
      try {
        for await (const events of eventsOf(body)) {
          failures = 0;
          for (const event of events) {
            if (isOver()) return;
            if (ofClient?.aborted === true) throw givenUp(ofClient);
            if (event.event !== 'dropped') {
              if (event.id !== '') last = event.id;
              yield [event];
            } else if (event.data.reason === 'refused') {
              yield [event];
              return;
            }
          }
        }
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
      }
    }
    failures += 1;
    await sleep(backoffMs(failures, RECONNECT), signal, ofClient);
    if (isOver()) return;
    const reopened = await reconnect(connect, last, isOver);
    if (reopened?.ok === false) {
      const { error, detail, members } = reopened.failure;
      const data = { ...members, reason: 'refused' as const, error, detail };
      yield [{ id: last ?? '', event: 'dropped', data }];
      return;
    }
    body = reopened?.value ?? null;
  }
}

function givenUp({ reason }: AbortSignal): ConnectionError {
  return new ConnectionError('aborted', 'The stream was given up', { cause: reason });
}

/** Returns `null` if another attempt may succeed, or if the caller ended the stream. */
async function reconnect(
  connect: Open,
  last: string | undefined,
  isOver: () => boolean,
): Promise<Result<OpenReply> | null> {
  try {
    const result = await connect(last);
    return result.ok || !ERRORS[result.failure.error].retryable ? result : null;
  } catch (error) {
    if (isConnectionLost(error) || isOver()) return null;
    throw error;
  }
}

/** True for errors of a broken connection, which a new attempt may mend. Every other error is a bug. */
function isConnectionLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return isLost(error);
  return isNetworkError(error) || (error instanceof Error && error.name === 'AbortError');
}
