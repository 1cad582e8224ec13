// Executes runs by the CLI of an agent: one process for each run, with the state's tools, its stream read as it comes.
// Knows no client's ways; they are data and pure functions (agent-cli.ts).
import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { ClaimedRun } from '../../ports/api/index.js';
import type { ExecutionContext, ExecutionResult, Executor } from '../executor.js';
import { childEnvironment } from '../process/child-environment.js';
import { obstacleAt } from '../process/obstacle.js';
import { runProcess } from '../process/run-process.js';
import {
  NOTHING_SEEN,
  type AgentCall,
  type AgentCli,
  type AgentSettings,
  type Invocation,
  type Seen,
} from './agent-cli.js';
import { followFile } from './followed-file.js';
import { createJsonLines } from './json-lines.js';
import { createLines } from './lines.js';
import { holdTo, type HeldOutput } from './output-schema.js';
import { openPrivateFolder } from './private-files.js';
import { RunUsage } from './run-usage.js';
import { openStandInHome } from './stand-in-home.js';
import { seenAtEnd, verdictOf } from './verdict.js';

export interface AgentExecutorOptions {
  readonly settings?: Partial<AgentSettings>;
  /** How results are recorded where there is a contract: by the agent's tools, which is the default, or by its output. */
  readonly recordBy?: 'tools' | 'output';
  /** Path of the program; by default its name is looked for in the path. */
  readonly program?: string;
  /** From SIGTERM to SIGKILL, milliseconds. 5,000 by default. */
  readonly killGraceMs?: number;
  /** How long descendants may hold on to the output after the program has ended, milliseconds. 1,000 by default. */
  readonly closeGraceMs?: number;
  /** How long the coordinator's order to stop may be late on a run's time-out, milliseconds. 10,000 by default. */
  readonly timeoutSlackMs?: number;
}

const OUTPUT_BYTES_MAX = 4 * 1024;
const DEFAULTS: AgentSettings = { model: null, systemPrompt: null, args: [] };

/**
 * Runs a client for each run. A start begins a new conversation, whichever try it is; a resume goes on with the one
 * that the session is bound to. The run counts as started when the client has told which conversation it is in.
 *
 * A request to record a result goes another way where the tools are missing, or where the options say so: the client is
 * held to give the contract's value as its output, for the coordinator to write.
 *
 * Guarantees: a client that comes up without the state's tools is ended at once, and where it cannot be held to its output
 * its run fails for its surroundings; nothing that holds the token is left behind.
 */
export function createAgentExecutor(cli: AgentCli, options: AgentExecutorOptions = {}): Executor {
  const usage = new RunUsage();
  return {
    async execute(run, context) {
      const reason = await obstacleAt(context.projectDir);
      if (reason !== null) {
        const end = { kind: 'not_spawned', reason } as const;
        return verdictOf(cli, NOTHING_SEEN, { end, stopped: false, held: null });
      }
      const held = heldOutput(cli, run);
      const once = (by: HeldOutput | null) => executeOnce(cli, run, context, options, usage, by);
      const first = await once(options.recordBy === 'output' ? held : null);
      const isLost = first.held === null && first.tools === 'missing';
      return isLost && held !== null && !context.signal.aborted ? (await once(held)).result : first.result;
    },
  };
}

/** What a named agent says wins over what the runner says; arguments add up. */
function settingsOf(runner: AgentSettings, agent: ExecutionContext['agent']): AgentSettings {
  if (agent === undefined || agent === null) return runner;
  return {
    model: agent.model ?? runner.model,
    systemPrompt: agent.systemPrompt ?? runner.systemPrompt,
    args: [...runner.args, ...agent.args],
    mcpServers: { ...runner.mcpServers, ...agent.mcpServers },
  };
}

/** How the client can be held to what the run is to record; `null` where it cannot, or where there is no contract. */
function heldOutput({ outputForm }: AgentCli, { purpose, contract }: ClaimedRun): HeldOutput | null {
  if (purpose !== 'state_update' || contract == null || outputForm === null) return null;
  return holdTo(contract, outputForm);
}

interface Executed {
  readonly result: ExecutionResult;
  readonly tools: Seen['tools'];
  readonly held: HeldOutput | null;
}

async function executeOnce(
  cli: AgentCli,
  run: ClaimedRun,
  context: ExecutionContext,
  options: AgentExecutorOptions,
  usage: RunUsage,
  held: HeldOutput | null,
): Promise<Executed> {
  const folder = await openPrivateFolder();
  try {
    const settings = settingsOf({ ...DEFAULTS, ...options.settings }, context.agent);
    const call = callOf(run, context, settings, folder.path, held);
    const { files, home, ...invoked } = cli.invoke(call);
    await folder.write(files);
    const place = home === undefined ? {} : await openStandInHome(home, folder.path, process.env);
    const invocation = { ...invoked, environment: { ...invoked.environment, ...place } };
    return await attend(cli, run, context, call, invocation, options, usage, held);
  } finally {
    await folder.remove();
  }
}

function callOf(
  run: ClaimedRun,
  { environment }: ExecutionContext,
  settings: AgentSettings,
  folder: string,
  held: HeldOutput | null,
): AgentCall {
  const resumed = run.type === 'resume_session' ? run.executor_session_id : null;
  return {
    prompt: held === null ? run.prompt : `${run.prompt}\n\n${held.note}`,
    purpose: run.purpose,
    outputSchema: held?.schema ?? null,
    conversationId: resumed ?? randomUUID(),
    resumes: resumed !== null,
    settings,
    mcp: {
      url: `${environment['COUNTERSIGN_URL'] ?? ''}/mcp`,
      token: environment['COUNTERSIGN_TOKEN'] ?? '',
    },
    folder,
  };
}

/** Runs the process, and hears what it says while it says it. */
async function attend(
  cli: AgentCli,
  run: ClaimedRun,
  { environment, projectDir, signal, onStarted }: ExecutionContext,
  call: AgentCall,
  invocation: Omit<Invocation, 'files' | 'home'>,
  options: AgentExecutorOptions,
  usage: RunUsage,
  held: HeldOutput | null,
): Promise<Executed> {
  const { killGraceMs = 5000, closeGraceMs = 1000, timeoutSlackMs = 10_000 } = options;
  const ending = new AbortController();
  const passOn = () => ending.abort(signal.reason);
  signal.addEventListener('abort', passOn);
  if (signal.aborted) passOn();
  let seen: Seen = NOTHING_SEEN;
  let told = false;

  const hear = (now: Seen) => {
    seen = now;
    if (seen.tools === 'missing' && held === null) ending.abort('tools');
    else if (!told && seen.conversationId !== null) {
      told = true;
      onStarted(seen.conversationId);
    }
  };
  const { agentLineCharactersMax } = DEFAULT_LIMITS;
  const lines = createJsonLines(agentLineCharactersMax, (event) => hear(cli.read(seen, event)));
  const errors = createLines(agentLineCharactersMax, (line) =>
    hear(cli.readError?.(seen, line, call) ?? seen),
  );
  const logged = createLines(agentLineCharactersMax, (line) => hear(cli.readLog?.(seen, line) ?? seen));
  const log = invocation.log === undefined ? null : followFile(invocation.log, (chunk) => logged.push(chunk));
  const from = performance.now();
  try {
    const end = await runProcess({
      command: options.program ?? cli.program,
      args: [...invocation.args],
      shell: false,
      cwd: projectDir,
      environment: withChanges(
        childEnvironment(process.env, environment, run, call.conversationId),
        invocation.environment,
      ),
      input: invocation.input,
      outputBytesMax: OUTPUT_BYTES_MAX,
      errorBytesMax: OUTPUT_BYTES_MAX,
      killGraceMs,
      closeGraceMs,
      timeoutMs: run.timeout_ms === null ? null : run.timeout_ms + timeoutSlackMs,
      signal: ending.signal,
      onSpawned: () => undefined,
      onOutput: (chunk) => lines.push(chunk),
      onErrorOutput: (chunk) => errors.push(chunk),
    });
    lines.end();
    errors.end();
    await log?.end();
    logged.end();
    const known = spent(cli, call, usage, seenAtEnd(cli, seen, end), performance.now() - from);
    const result = verdictOf(cli, known, { end, stopped: signal.aborted, held });
    return { result, tools: known.tools, held };
  } finally {
    await log?.end();
    signal.removeEventListener('abort', passOn);
  }
}

/** What the run has spent, with the time that it took where its client has told none. */
function spent(cli: AgentCli, call: AgentCall, usage: RunUsage, seen: Seen, durationMs: number): Seen {
  const told = seen.usage ?? {};
  const { conversationId } = seen;
  const own =
    cli.usageSums === true && seen.usage !== null && conversationId !== null
      ? usage.of(call, conversationId, told)
      : told;
  return { ...seen, usage: { duration_ms: Math.round(durationMs), ...own } };
}

function withChanges(
  environment: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const changed = new Map(Object.entries(environment));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  return Object.fromEntries(changed);
}
