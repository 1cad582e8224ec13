// Tells subscribers of changed states: follows the service's stream for as long as somebody listens.
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Logger } from '../ports/runtime.js';
import type { StreamService } from '../ports/service.js';
import { stateUri } from './server.js';

/** Between two tries to follow the stream, where it cannot be had. */
const AGAIN_MS = 1000;

/**
 * Follows all states that the caller may see until the signal ends, and tells the URI of each that changes.
 * A stream that ends is taken up where it was.
 */
export async function followStates(
  streams: StreamService,
  signal: AbortSignal,
  logger: Logger,
  tell: (uri: string) => void,
): Promise<void> {
  let after: string | undefined;
  const over = () => signal.aborted;
  while (!over()) {
    try {
      const stream = await streams.all({}, { after, signal });
      if (stream.ok) {
        for await (const events of stream.value) {
          const changed = new Set<string>();
          for (const { id, event, data } of events) {
            after = id;
            if (event === 'workflow_state_updated' || event === 'workflow_state_deleted')
              changed.add(stateUri(data.state_id));
          }
          for (const uri of changed) tell(uri);
        }
      } else {
        after = undefined;
      }
    } catch (error) {
      if (!over()) logger.warn({ err: error }, 'changed states cannot be followed');
    }
    await pause(AGAIN_MS, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** The SDK's event bus on that stream: followed from the first listener to the last. */
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
      void followStates(this.streams, this.#following.signal, this.logger, (uri) =>
        this.publish({ kind: 'resource_updated', uri }),
      );
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
