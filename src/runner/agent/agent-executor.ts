// Executes runs with an agent's CLI: one process per run, with the state tools, reading its stream as it arrives.
// Everything specific to a client is data and pure functions (agent-cli.ts).
import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { linkSignals } from '../../lib/signals.js';
import type { ClaimedRun } from '../../ports/api/index.js';
import {
  failed,
  NO_OUTPUT,
  type ExecutionContext,
  type ExecutionResult,
  type Executor,
} from '../executor.js';
import { childEnvironment } from '../process/child-environment.js';
import { whyUnusable } from '../process/working-directory.js';
import { endOfSilence, processTimes, type ProcessTimes } from '../process-times.js';
import { runProcess } from '../process/run-process.js';
import {
  NOTHING_SEEN,
  type AgentCall,
  type AgentCli,
  type AgentSettings,
  type ConfiguredServer,
  type Invocation,
  type Seen,
} from '../../agent-clients/runs/agent-cli.js';
import { discoverServers } from './findings.js';
import { followFile } from './followed-file.js';
import { nameTaken } from '../../agent-clients/runs/found-servers.js';
import { createJsonLines } from './json-lines.js';
import { createLines } from './lines.js';
import { enforceOutput, type EnforcedOutput } from './output-schema.js';
import { openPrivateFolder } from './private-files.js';
import { promptAfresh } from './recap.js';
import { RunUsage } from './run-usage.js';
import { openRunHome } from './run-home.js';
import { seenAtEnd, runResultOf } from './run-result.js';

interface AgentExecutorOptions extends ProcessTimes {
  readonly settings?: Partial<AgentSettings>;
  /** How results are recorded if there is a contract: by the agent's tools (the default), or by its output. */
  readonly recordBy?: 'tools' | 'output';
  /** Path of the program; by default its name is looked up in PATH. */
  readonly program?: string;
}

const OUTPUT_BYTES_MAX = 4 * 1024;
const DEFAULTS: AgentSettings = { model: null, systemPrompt: null, args: [] };

/**
 * Executes each run with one process of the client. A start begins a new conversation, at every attempt. A resume
 * continues the conversation of the session, or begins a new one with a recap if there is none. The run counts as
 * started when the client names its conversation.
 *
 * An update run without tools (missing, or by option) uses an output schema instead: the client's final answer is
 * the contract's value, and the coordinator writes it.
 *
 * Guarantees: a client without the state tools is ended at once; its run fails with the cause `environment`,
 * unless an output schema can replace the tools. Servers in the client's configuration cannot act for the run. No
 * file with the token remains.
 */
export function createAgentExecutor(cli: AgentCli, options: AgentExecutorOptions): Executor {
  const usage = new RunUsage();
  return {
    async execute(run, context) {
      const reason = await whyUnusable(context.projectDir);
      if (reason !== null) {
        const end = { kind: 'not_spawned', reason } as const;
        return runResultOf(cli, NOTHING_SEEN, { end, stopped: false, enforced: null });
      }
      const configuredServers = await discoverServers(cli, {
        program: options.program ?? cli.program,
        projectDir: context.projectDir,
        environment: environmentOf(run, context, run.executor_session_id ?? ''),
        signal: context.signal,
      });
      const conflict = nameTaken(cli.title, configuredServers);
      if (conflict !== null) return failed(NO_OUTPUT, conflict, 'configuration');
      const enforced = enforcedOutput(cli, run);
      const runClient = (how: Attempt) =>
        executeOnce({ cli, run, context, options, usage, configuredServers }, how);
      const isOver = () => context.signal.aborted;
      const resumed = run.type === 'resume_session' ? run.executor_session_id : null;
      let attempt: Attempt = { enforced: options.recordBy === 'output' ? enforced : null, resumed };
      let done = await runClient(attempt);
      if (done.isGone && resumed !== null && !isOver()) {
        context.onNote?.('there is no conversation to go on with; it begins afresh', resumed);
        attempt = { ...attempt, resumed: null };
        done = await runClient(attempt);
      }
      const isLost = attempt.enforced === null && done.tools === 'missing';
      return isLost && enforced !== null && !isOver()
        ? (await runClient({ ...attempt, enforced })).result
        : done.result;
    },
  };
}

/** What all attempts of a run share. */
interface RunParts {
  readonly cli: AgentCli;
  readonly run: ClaimedRun;
  readonly context: ExecutionContext;
  readonly options: AgentExecutorOptions;
  readonly usage: RunUsage;
  readonly configuredServers: readonly ConfiguredServer[];
}

interface Attempt {
  readonly enforced: EnforcedOutput | null;
  /** The conversation to resume; `null` for a new one. */
  readonly resumed: string | null;
}

/** Settings of a named agent override those of the runner; arguments are concatenated. */
function settingsOf(runner: AgentSettings, agent: ExecutionContext['agent']): AgentSettings {
  if (agent === undefined || agent === null) return runner;
  return {
    model: agent.model ?? runner.model,
    systemPrompt: agent.systemPrompt ?? runner.systemPrompt,
    args: [...runner.args, ...agent.args],
    mcpServers: { ...runner.mcpServers, ...agent.mcpServers },
  };
}

/** The output schema for what the run must record; `null` if the client enforces none, or if there is no contract. */
function enforcedOutput({ outputForm }: AgentCli, { purpose, contract }: ClaimedRun): EnforcedOutput | null {
  if (purpose !== 'state_update' || contract == null || outputForm === null) return null;
  return enforceOutput(contract, outputForm);
}

interface Executed {
  readonly result: ExecutionResult;
  readonly tools: Seen['tools'];
  readonly isGone: boolean;
}

async function executeOnce(parts: RunParts, attempt: Attempt): Promise<Executed> {
  const folder = await openPrivateFolder();
  try {
    const call = callOf(parts, attempt, folder.path);
    const { files, home, ...invoked } = parts.cli.invoke(call);
    await folder.write(files);
    const runHome = home === undefined ? {} : await openRunHome(home, folder.path, process.env);
    const invocation = { ...invoked, environment: { ...invoked.environment, ...runHome } };
    return await runAndRead(parts, call, invocation, attempt.enforced);
  } finally {
    await folder.remove();
  }
}

function callOf(
  { run, context: { agent, environment }, options, configuredServers }: RunParts,
  { enforced, resumed }: Attempt,
  folder: string,
): AgentCall {
  const isAfresh = run.type === 'resume_session' && resumed === null;
  const prompt = isAfresh ? promptAfresh(run) : run.prompt;
  return {
    prompt: enforced === null ? prompt : `${prompt}\n\n${enforced.note}`,
    purpose: run.purpose,
    outputSchema: enforced?.schema ?? null,
    conversationId: resumed ?? randomUUID(),
    resumes: resumed !== null,
    settings: settingsOf({ ...DEFAULTS, ...options.settings }, agent),
    mcp: {
      url: `${environment['COUNTERSIGN_URL'] ?? ''}/mcp`,
      token: environment['COUNTERSIGN_TOKEN'] ?? '',
    },
    identity: Object.fromEntries(Object.entries(environment).filter(([name]) => IDENTITY.test(name))),
    configuredServers,
    folder,
  };
}

/** Variables that identify the caller and its state. */
const IDENTITY = /^(?:COUNTERSIGN_(?:URL|TOKEN)|AGENT_\w+|WORKFLOW_STATE_ID)$/;

function environmentOf(run: ClaimedRun, { environment }: ExecutionContext, conversationId: string) {
  return childEnvironment(process.env, environment, run, conversationId);
}

/** Runs the process and reads its output as it arrives. */
async function runAndRead(
  { cli, run, context, options, usage }: RunParts,
  call: AgentCall,
  invocation: Omit<Invocation, 'files' | 'home'>,
  enforced: EnforcedOutput | null,
): Promise<Executed> {
  const { projectDir, signal, lost, onStarted } = context;
  const ending = linkSignals(signal);
  let seen: Seen = NOTHING_SEEN;
  let isStarted = false;

  const onEvent = (now: Seen) => {
    seen = now;
    if (seen.tools === 'missing' && enforced === null) ending.abort('tools');
    else if (!isStarted && seen.conversationId !== null) {
      isStarted = true;
      onStarted(seen.conversationId);
    }
  };
  const { agentLineCharactersMax } = DEFAULT_LIMITS;
  let isCut = false;
  const lines = createJsonLines(
    agentLineCharactersMax,
    (event) => onEvent(cli.read(seen, event)),
    () => (isCut = true),
  );
  const errors = createLines(agentLineCharactersMax, (line) =>
    onEvent(cli.readError?.(seen, line, call) ?? seen),
  );
  const logged = createLines(agentLineCharactersMax, (line) => onEvent(cli.readLog?.(seen, line) ?? seen));
  const log = invocation.log === undefined ? null : followFile(invocation.log, (chunk) => logged.push(chunk));
  // A process that stays would keep the run, and a slot of the runner, for ever.
  const lingering = endOfSilence(options, () => ending.abort('lingering'));
  const from = performance.now();
  try {
    const end = await runProcess({
      command: options.program ?? cli.program,
      args: [...invocation.args],
      shell: false,
      cwd: projectDir,
      environment: withChanges(environmentOf(run, context, call.conversationId), invocation.environment),
      input: invocation.input,
      outputBytesMax: OUTPUT_BYTES_MAX,
      errorBytesMax: OUTPUT_BYTES_MAX,
      ...processTimes(options, run),
      signal: ending.signal,
      lost,
      onOutput: (chunk) => {
        lines.push(chunk);
        lingering.note(seen.end?.kind === 'completed');
      },
      onErrorOutput: (chunk) => errors.push(chunk),
    });
    lines.end();
    errors.end();
    await log?.end();
    logged.end();
    const known = withUsage(cli, call, usage, seenAtEnd(cli, seen, end), performance.now() - from);
    const result = runResultOf(cli, known, { end, stopped: signal.aborted, enforced, isCut });
    return { result, tools: known.tools, isGone: known.isGone === true };
  } finally {
    lingering.release();
    await log?.end();
    ending.release();
  }
}

/** What the run used; the runner's own measurement is the duration if the client reports none. */
function withUsage(cli: AgentCli, call: AgentCall, usage: RunUsage, seen: Seen, durationMs: number): Seen {
  const reported = seen.usage ?? {};
  const { conversationId } = seen;
  const own =
    cli.usageSums === true && seen.usage !== null && conversationId !== null
      ? usage.of(call, conversationId, reported)
      : reported;
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
