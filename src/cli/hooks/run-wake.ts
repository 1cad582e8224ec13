// `countersign hook wake`: a background process that the client starts at a stop. It waits for as long as the
// client lives, across service restarts, and wakes the client with its exit code.
import { sleep } from '../../lib/backoff.js';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { neededInput, readHookInput } from '../../agent-clients/hooks/input.js';
import { agentClient } from '../../agent-clients/index.js';
import { ConnectionError, createClient } from '../../client/index.js';
import { ERRORS } from '../../domain/errors.js';
import { isResultOf } from '../../domain/hooks/result.js';
import { isJsonObject } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { HookOptions } from '../../ports/hook-service.js';
import { httpFetch } from '../io/http-fetch.js';
import { EXIT } from '../text/exit-codes.js';
import type { CliIo } from '../io/io.js';
import { failureText } from '../text/failure-text.js';
import { WAKES } from './exit.js';
import { readHookDocument } from './hook-input.js';
import type { HookTarget } from './run-hook.js';

interface WakeCommand extends HookTarget {
  /** How long it waits, milliseconds. */
  readonly waitMs: number;
}

const LOOK_MS = 5_000;
/** The client starts the stop hook at the same time. What waits already, that one hands over. */
const STOP_FIRST_MS = 2_000;
const PAUSE_MS = 2_000;
/** The client is woken when the command ends. */
const CONFIRM_MS = 2_000;

/**
 * @returns `WAKES` if there is something to continue with, printed on standard error; 0 if nothing more is
 * expected.
 */
export async function runWake({ client, waitMs, ...where }: WakeCommand, io: CliIo): Promise<number> {
  const input = await readHookDocument(io);
  const event = readHookInput(agentClient(client), input, 'stop');
  if (!event.ok || !isJsonObject(input)) {
    io.stderr.write(event.ok ? '' : failureText(event.failure));
    return EXIT.refused;
  }
  const clientGone = untilClientIsGone(agentClient(client).hooks.variables.processId, io);
  try {
    const { url, token, session } = where;
    const service = createClient({ url, token, fetch: httpFetch, retry: false, signal: clientGone.signal });
    const needed = neededInput(agentClient(client), input, DEFAULT_LIMITS.resultBytesMax / 2);
    const invocation = randomUUID();
    const deadline = performance.now() + waitMs;
    await sleep(Math.min(STOP_FIRST_MS, waitMs / 2), clientGone.signal);
    while (!clientGone.signal.aborted) {
      const leftMs = Math.round(deadline - performance.now());
      if (leftMs <= 0) break;
      const options = {
        session,
        url,
        invocation,
        wake: true,
        waitMs: Math.min(leftMs, DEFAULT_LIMITS.waitMsMax),
      };
      const result = await unlessUnreachable(service.hooks.answer(client, needed, options));
      if (result?.ok === false && !ERRORS[result.failure.error].retryable) {
        io.stderr.write(failureText(result.failure));
        return EXIT.refused;
      }
      if (result?.ok === true && isResultOf('stop', result.value)) {
        const { verdict, text } = result.value;
        if (verdict === 'waiting') continue;
        if (verdict === 'end') return EXIT.ok;
        io.stderr.write(`${text ?? ''}\n`);
        // Says that the answer has arrived. If that is lost, the next stop hands the callbacks over once more.
        await unlessUnreachable(service.hooks.answer(client, needed, confirmationOf(options)));
        return WAKES;
      }
      // The service is unavailable or overloaded, or something else answered.
      await sleep(Math.min(PAUSE_MS, leftMs), clientGone.signal);
    }
    return EXIT.ok;
  } finally {
    clientGone.abort();
  }
}

/** The answer; `null` if none has come. */
async function unlessUnreachable<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return null;
  }
}

function confirmationOf({ session, url, invocation, wake }: HookOptions): HookOptions {
  return { session, url, invocation, wake, heard: true, signal: AbortSignal.timeout(CONFIRM_MS) };
}

/**
 * Aborts when the client has ended, because nobody would read the result. If the client's process is unknown,
 * only the time limit applies.
 */
function untilClientIsGone(variable: string | undefined, { env }: CliIo): AbortController {
  const clientGone = new AbortController();
  const given = Number(env[variable ?? ''] ?? '');
  const shell = process.ppid;
  let client: Promise<number | null> =
    Number.isInteger(given) && given > 1 ? Promise.resolve(given) : parentOf(shell);
  const look = async () => {
    const pid = await client;
    if (process.ppid !== shell || (pid !== null && !isAlive(pid))) clientGone.abort();
  };
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  clientGone.signal.addEventListener('abort', () => {
    clearInterval(timer);
    client = Promise.resolve(null);
  });
  return clientGone;
}

/** Process id of the client: the parent of the shell that runs the hook. */
async function parentOf(pid: number): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(pid)]);
    const parent = Number(stdout.trim());
    return Number.isInteger(parent) && parent > 1 ? parent : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
