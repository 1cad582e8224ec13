// Notifies subscribers of changed states. Follows the service's stream while there are listeners.
import { sleep } from '../../lib/backoff.js';
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { ERRORS } from '../../domain/errors.js';
import type { StreamEvent } from '../../ports/api/index.js';
import type { Logger } from '../../ports/runtime.js';
import type { StreamService } from '../../ports/service.js';
import { stateUri } from '../server.js';

/** Delay before the stream is opened again, milliseconds. */
const AGAIN_MS = 1000;

interface Following {
  readonly change: (uri: string) => void;
  /** The stream is open, or could not be opened. */
  readonly tried?: () => void;
}

/**
 * Follows all states that the caller may see, until the signal aborts, and reports the URI of each state that
 * changes. Resumes an ended stream after its last event. If the service rejects that for good, it starts at the present.
 */
export async function followStates(
  streams: StreamService,
  signal: AbortSignal,
  logger: Logger,
  on: Following,
  againMs = AGAIN_MS,
): Promise<void> {
  let after: string | undefined;
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      const stream = await streams.all({}, { after, signal });
      on.tried?.();
      if (!stream.ok) {
        if (!ERRORS[stream.failure.error].retryable) after = undefined;
      } else {
        for await (const events of stream.value) {
          after = events.at(-1)?.id ?? after;
          for (const uri of changedStates(events)) on.change(uri);
        }
      }
    } catch (error) {
      on.tried?.();
      if (!isOver()) logger.warn({ err: error }, 'changed states cannot be followed');
    }
    await sleep(againMs, signal);
  }
}

/** The URIs of the states that events change, each once. */
function changedStates(events: readonly StreamEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap(({ event, data }) =>
      event === 'workflow_state_updated' || event === 'workflow_state_deleted'
        ? [stateUri(data.state_id)]
        : [],
    ),
  );
}

/** The SDK's event bus on that stream. It follows the stream from the first listener until the last one leaves. */
export class StateChanges implements ServerEventBus {
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  #following: AbortController | null = null;

  constructor(
    private readonly streams: StreamService,
    private readonly logger: Logger,
  ) {}

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    if (this.#following === null) {
      this.#following = new AbortController();
      void followStates(this.streams, this.#following.signal, this.logger, {
        change: (uri) => this.publish({ kind: 'resource_updated', uri }),
      });
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#following?.abort();
    this.#following = null;
  }
}
