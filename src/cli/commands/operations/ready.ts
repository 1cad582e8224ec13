// `countersign ready`: waits until the service accepts requests. For scripts that start a service.
import { setTimeout as sleep } from 'node:timers/promises';
import { targetOf } from '../../../client/transport/options.js';
import { serviceFlags } from '../../client-command.js';
import { plainCommand, type CommandSpec } from '../../command.js';
import { EXIT } from '../../text/exit-codes.js';
import { durationFlag } from '../../flag.js';
import { UsageError } from '../../usage-error.js';
import { isJsonObject, parsedJson } from '../../../domain/json/json.js';
import { messageOf } from '../../../domain/text.js';

const TIMEOUT_MS = 30_000;
const PACE_MS = 100;
/** Time limit of one request, milliseconds; then the command asks again. */
const ANSWER_MS = 5_000;
/** Minimum time limit of the last request, so that the message gives the cause and not just a timeout. */
const ANSWER_MS_MIN = 500;

/** What Node's `fetch` says of a port that the Fetch standard blocks, such as 5060. */
const FORBIDDEN_PORT = 'bad port';
const OTHER_PORT = 'fetch and browsers refuse the port of this address: serve on another one';

export const readyCommand: CommandSpec = plainCommand({
  usage: 'ready',
  summary: 'wait until the service takes requests',
  flags: {
    url: serviceFlags.url,
    timeout: durationFlag('--timeout <span>', 'how long to wait (default: 30s)'),
  },
  examples: ['countersign serve & countersign ready', 'countersign ready --timeout 2m'],
  notes: `Ends with ${String(EXIT.ok)} as soon as it does, and ${String(EXIT.timedOut)} when the time is over. Needs no token.`,
  run: async ({ flags: { url, timeout = TIMEOUT_MS }, io }) => {
    const address = `${baseOf(url)}/readyz`;
    const deadline = performance.now() + timeout;
    for (;;) {
      const leftMs = deadline - performance.now();
      const why = await whyNotReady(address, Math.max(ANSWER_MS_MIN, Math.min(ANSWER_MS, leftMs)));
      if (why === null) return EXIT.ok;
      const pauseMs = Math.min(PACE_MS, deadline - performance.now());
      if (pauseMs <= 0) {
        io.stderr.write(`The service at ${url} is not ready: ${why}\n`);
        return EXIT.timedOut;
      }
      await sleep(pauseMs);
    }
  },
});

/** Why the service is not ready; `null` if it is. */
async function whyNotReady(address: string, withinMs: number): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(Math.ceil(withinMs));
    const response = await fetch(address, { signal, redirect: 'manual' });
    if (response.status === 200)
      return isHealth(await response.text()) ? null : `what answers at ${address} is not Countersign`;
    await response.body?.cancel();
    return `${address} answers with ${String(response.status)}`;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const shown = cause instanceof Error ? cause : error;
    if (shown instanceof Error && shown.message === FORBIDDEN_PORT) throw new UsageError(OTHER_PORT);
    return messageOf(shown);
  }
}

/** True for the answer of the service. Another program may have the port, and answer everything with 200. */
function isHealth(text: string): boolean {
  const health = parsedJson(text);
  return isJsonObject(health) && health['status'] === 'ok';
}

function baseOf(url: string): string {
  try {
    return targetOf({ url }).base;
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
