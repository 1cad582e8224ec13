// Runs one hook: reads the client's input from standard input, asks the service, and prints the reply in the
// client's form. If the service is unavailable, the gate before a tool denies, and every other hook lets the
// agent continue.
import { randomUUID } from 'node:crypto';
import { startedWithin } from '../../agent-clients/conversations.js';
import { neededInput, readHookInput } from '../../agent-clients/hooks/input.js';
import { agentClient, type AgentClientName } from '../../agent-clients/index.js';
import { ConnectionError, createClient } from '../../client/index.js';
import { ERRORS, type Result, type Failure } from '../../domain/errors.js';
import { isResultOf, mayEnd, type HookResult } from '../../domain/hooks/result.js';
import type { Hook } from '../../domain/hooks/clients.js';
import type { HookEvent } from '../../domain/hooks/event.js';
import { passesUnasked, unansweredDecision } from '../../domain/hooks/gate.js';
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { messageOf } from '../../domain/text.js';
import type { Countersign } from '../../ports/service.js';
import { httpFetch } from '../io/http-fetch.js';
import { EXIT } from '../text/exit-codes.js';
import type { CliIo } from '../io/io.js';
import { failureText } from '../text/failure-text.js';
import { UsageError } from '../usage-error.js';
import { removeEnvironment, writeEnvironment } from './environment-file.js';
import { readHookDocument } from './hook-input.js';

/** Whom a hook asks, and for which session. */
export interface HookTarget {
  readonly client: AgentClientName;
  readonly url: string;
  readonly token: string | undefined;
  readonly session: string | undefined;
}

interface HookCommand extends HookTarget {
  readonly hook: Hook;
  /** How long a stop may wait for callbacks, milliseconds. */
  readonly waitMs: number;
  readonly agents: readonly string[];
  /** File for the variables that identify the session; `undefined` for none. */
  readonly envFile: string | undefined;
}

/** @returns The exit code: 0 if there is a reply, whatever it says. */
export async function runHook(command: HookCommand, io: CliIo): Promise<number> {
  const input = await readHookDocument(io);
  const event = readHookInput(agentClient(command.client), input, command.hook);
  if (!event.ok || !isJsonObject(input)) {
    io.stderr.write(event.ok ? '' : failureText(event.failure));
    return EXIT.refused;
  }
  // Independent of the coordinator's reply: a token must not outlive its session.
  if (command.hook === 'session-end') await removeEnvironment(event.value, io);
  const result = await resultOf(command, event.value, input, io);
  if (!result.ok) {
    io.stderr.write(failureText(result.failure));
    return EXIT.refused;
  }
  const { value } = result;
  if (value.environment !== undefined && command.envFile !== undefined) {
    await writeEnvironment(command.envFile, value.environment, event.value, io);
  }
  io.stdout.write(`${JSON.stringify(agentClient(command.client).hooks.answer(command.hook, value))}\n`);
  return EXIT.ok;
}

async function resultOf(
  command: HookCommand,
  event: HookEvent,
  input: JsonObject,
  io: CliIo,
): Promise<Result<HookResult>> {
  if (event.hook === 'pre-tool-use' && passesUnasked(event)) {
    return { ok: true, value: { verdict: 'allow', text: null } };
  }
  try {
    const result = await ask(command, input, io);
    if (result.ok) {
      return isResultOf(event.hook, result.value) ? result : unanswered(event, NOT_UNDERSTOOD);
    }
    const { error } = result.failure;
    if (event.hook === 'pre-tool-use') return unanswered(event, whyOf(result.failure));
    return ERRORS[error].retryable ? unanswered(event, whyOf(result.failure)) : result;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    if (!(error instanceof ConnectionError) && event.hook !== 'pre-tool-use') throw error;
    return unanswered(event, messageOf(error));
  }
}

const NOT_UNDERSTOOD = 'its answer cannot be understood';

function whyOf({ error, detail }: Failure): string {
  return `${ERRORS[error].title}${detail === '' ? '' : `: ${detail}`}`;
}

/** The result without a reply of the service: the gate denies, every other hook lets the agent continue. */
function unanswered(event: HookEvent, why: string): Result<HookResult> {
  if (event.hook === 'pre-tool-use') return { ok: true, value: unansweredDecision(event, why) };
  const consequence =
    event.hook === 'session-start'
      ? 'This session is not registered; start or resume it again once the coordinator runs.'
      : event.hook === 'session-end'
        ? 'It counts as lost when it has not been heard of for its time.'
        : 'It lets the turn end. The coordinator decides independently of this.';
  return { ok: true, value: mayEnd(`Countersign cannot be asked (${why}). ${consequence}`) };
}

/** Asks repeatedly for as long as a stop may wait; the last request has no wait and is final. */
async function ask(command: HookCommand, input: JsonObject, io: CliIo): Promise<Result<HookResult>> {
  const service = connect(command);
  const { client, url, session, agents } = command;
  const needed = neededInput(agentClient(client), input, DEFAULT_LIMITS.resultBytesMax / 2);
  const invocation = randomUUID();
  const within = withinOf(command, io);
  const deadline = performance.now() + command.waitMs;
  for (;;) {
    const leftMs = Math.max(0, Math.round(deadline - performance.now()));
    const waitMs = Math.min(leftMs, DEFAULT_LIMITS.waitMsMax);
    const options = { session, agents, url, waitMs, refusalsMax: capOf(client, io), invocation, within };
    const result = await service.hooks.answer(client, needed, options);
    if (result.ok && result.value.verdict === 'waiting' && leftMs > 0) continue;
    return result;
  }
}

/** Sessions of clients from within which this one was started. Ignores values that are not ids. */
function withinOf({ hook }: HookCommand, { env }: CliIo): readonly string[] {
  if (hook !== 'session-start') return [];
  return startedWithin(env);
}

function capOf(client: AgentClientName, { env }: CliIo): number | undefined {
  const { refusals } = agentClient(client).hooks.variables;
  const cap = Number.parseInt(env[refusals ?? ''] ?? '', 10);
  return Number.isNaN(cap) ? undefined : Math.min(Math.max(0, cap), 1_000_000);
}

/** Sends no session headers: the session may not exist yet, so the request names it. */
function connect({ hook, url, token, waitMs }: HookCommand): Countersign {
  const { hookGateMs, hookAnswerMs } = DEFAULT_LIMITS;
  // A client that ends waits for its hooks no longer than a client that uses a tool.
  const isShort = hook === 'pre-tool-use' || hook === 'session-end';
  // The last attempt begins in the first half, and ends in the second.
  const halfMs = (isShort ? hookGateMs : hookAnswerMs) / 2;
  const tries = isShort ? { triesMax: 3 } : hook === 'stop' && waitMs > 0 ? RESTART_RETRIES : {};
  return createClient({
    url,
    token,
    fetch: httpFetch,
    timeoutMs: halfMs,
    retry: { ...tries, withinMs: halfMs },
  });
}

/** Retries for about 8 s: a hook that waits anyway survives a restart of the coordinator. */
const RESTART_RETRIES = { triesMax: 20, pauseMsMax: 1000 };
