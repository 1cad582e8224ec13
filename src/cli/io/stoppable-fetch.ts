// `fetch` whose requests end with a signal of the command, for commands that end while a service does not answer.
import type { FetchFunction } from '../../client/index.js';
import { linkSignals } from '../../lib/signals.js';

/** Streams are left as they are: they take a signal of their own. */
export function stoppable(fetch: FetchFunction, signal: AbortSignal): FetchFunction {
  return async (url, sent) => {
    if (sent.headers['accept'] === 'text/event-stream') return fetch(url, sent);
    const linked = linkSignals(sent.signal, signal);
    try {
      const response = await fetch(url, { ...sent, signal: linked.signal });
      const { ok, status, headers, body } = response;
      return { ok, status, headers, body, text: () => response.text().finally(linked.release) };
    } catch (error) {
      linked.release();
      throw error;
    }
  };
}
