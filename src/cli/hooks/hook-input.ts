// What a client gives a hook on standard input. Where the client leaves the pipe open, its input ends once it is JSON and
// nothing follows, so that it does not keep the hook until the client gives the hook up.
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { JsonValue } from '../../domain/json/json.js';
import { sleep } from '../../lib/backoff.js';
import { readDocument } from '../files/document.js';
import type { CliIo } from '../io/io.js';
import { UsageError } from '../usage-error.js';

/** How long nothing has to follow, milliseconds. */
const PAUSE_MS = 250;

/**
 * @param withinMs - The time for it to arrive, milliseconds.
 * @throws UsageError - It is no JSON, too long, or does not arrive in time.
 */
export function readHookDocument(
  io: CliIo,
  withinMs: number = DEFAULT_LIMITS.hookGateMs / 2,
): Promise<JsonValue> {
  return readDocument('-', { ...io, stdin: untilWhole(io.stdin, withinMs) });
}

type Chunk = Uint8Array | string;

async function* untilWhole(source: AsyncIterable<Chunk>, withinMs: number): AsyncGenerator<Chunk> {
  const deadline = performance.now() + withinMs;
  const chunks: Buffer[] = [];
  const arriving = source[Symbol.asyncIterator]();
  let next = arriving.next();
  for (;;) {
    const paused = new AbortController();
    const found = await Promise.race([next, sleep(PAUSE_MS, paused.signal)]);
    paused.abort();
    if (found === undefined) {
      if (isJson(chunks)) return;
    } else if (found.done === true) {
      return;
    } else {
      chunks.push(Buffer.from(found.value));
      yield found.value;
      next = arriving.next();
    }
    if (performance.now() < deadline) continue;
    if (isJson(chunks)) return;
    throw new UsageError(`Standard input did not end within ${String(withinMs)} ms, and is no JSON yet`);
  }
}

function isJson(chunks: readonly Buffer[]): boolean {
  try {
    JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
