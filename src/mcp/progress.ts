// How a tool that waits tells its client that it is still at it: progress notifications, where the call asked for them.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Logger } from '../ports/runtime.js';

/** Tells how a wait goes on; sends nothing where the call did not ask for it. */
export interface Progress {
  /**
   * Does some work, and tells at once, and again and again while it lasts, what is waited for.
   *
   * @param message - What is waited for now.
   */
  during: <T>(message: () => string, work: () => Promise<T>) => Promise<T>;
}

interface Request {
  readonly _meta: ServerContext['mcpReq']['_meta'] | undefined;
  readonly notify: ServerContext['mcpReq']['notify'];
}

/** @param everyMs - Between two notifications. */
export function progressOf({ _meta: meta, notify }: Request, everyMs: number, logger: Logger): Progress {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { during: (_message, work) => work() };
  return {
    async during(message, work) {
      const began = performance.now();
      let last = -1;
      const tell = () => {
        // Seconds of the wait: they only ever rise, as the protocol has it.
        last = Math.max(last + 1, Math.round((performance.now() - began) / 1000));
        const params = { progressToken, progress: last, message: message() };
        notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
          logger.debug({ err: error }, 'progress could not be told');
        });
      };
      tell();
      const timer = setInterval(tell, everyMs);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    },
  };
}
