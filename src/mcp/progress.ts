// Progress notifications of a tool that waits, for calls that ask for them.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Logger } from '../ports/runtime.js';

/** Reports the progress of a wait; sends nothing if the call did not ask for it. */
export interface Progress {
  /**
   * Runs `work`. Sends `message` at once and at intervals until the work ends.
   *
   * @param message - What the call waits for now.
   */
  during: <T>(message: () => string, work: () => Promise<T>) => Promise<T>;
}

interface Request {
  readonly _meta: ServerContext['mcpReq']['_meta'] | undefined;
  readonly notify: ServerContext['mcpReq']['notify'];
}

/** @param everyMs - Interval between two notifications, milliseconds. */
export function progressOf({ _meta: meta, notify }: Request, everyMs: number, logger: Logger): Progress {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { during: (_message, work) => work() };
  return {
    async during(message, work) {
      const began = performance.now();
      let last = -1;
      const sendNext = () => {
        // Seconds since the start. The protocol requires that the value increases with each notification.
        last = Math.max(last + 1, Math.round((performance.now() - began) / 1000));
        const params = { progressToken, progress: last, message: message() };
        notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
          logger.debug({ err: error }, 'a progress notification could not be sent');
        });
      };
      sendNext();
      const timer = setInterval(sendNext, everyMs);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    },
  };
}
