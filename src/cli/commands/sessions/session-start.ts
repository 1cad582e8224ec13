// `countersign session start` and `resume`: give work to agents.
import { answeredWithin, ANSWER_MS, untilAnswered } from '../../../client/until-answered.js';
import type { RunView } from '../../../ports/api/index.js';
import { clientCommand, type ClientInput } from '../../client-command.js';
import { readObject, readStdin } from '../../files/document.js';
import { EXIT } from '../../text/exit-codes.js';
import {
  choiceFlag,
  durationFlag,
  integerFlag,
  listFlag,
  required,
  switchFlag,
  textFlag,
} from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import { given } from '../page.js';
import { reference } from './reference.js';
import { runText } from '../runs/run.js';
import { termFlags, termsOf } from './session-terms.js';
import { statePromptFlags, statePromptsOf } from './state-prompt-flags.js';
import { endedWell, hasEnded, waitForSession } from '../../../ports/session-wait.js';
import { whatFailed } from './session-failure.js';

const promptFlag = required(textFlag('--prompt <text>', 'what to do; - reads it from standard input'));
const waitFlags = {
  wait: switchFlag('--wait', 'wait for the end of the session and print its result'),
  waitTimeout: durationFlag('--wait-timeout <time>', 'wait at most so long, such as 10m'),
};

export const start = clientCommand({
  usage: 'start',
  summary: 'start an agent session',
  flags: {
    prompt: promptFlag,
    name: textFlag('--name <name>', 'name of the session (default: its id)'),
    agent: textFlag(
      '--agent <name>',
      'named agent; where the coordinator has none (--agents), a label of your own',
    ),
    parent: textFlag('--parent <session>', 'parent, id or name'),
    delivery: choiceFlag('--delivery <how>', 'how this session gets callbacks of its own children', [
      'pull',
      'resume',
    ]),
    projectDir: textFlag('--project-dir <dir>', 'where it works'),
    metadata: textFlag('--metadata <document>', 'JSON object that goes along with the run'),
    tags: listFlag('--tag <tag...>', 'what it demands of a runner'),
    hostname: textFlag('--hostname <name>', 'the machine that it demands'),
    executorType: textFlag('--executor-type <type>', 'the executor that it demands'),
    timeoutMs: integerFlag('--timeout-ms <ms>', 'how long its run may take', { min: 100, max: 604_800_000 }),
    ...termFlags,
    ...statePromptFlags,
    ...waitFlags,
  },
  examples: [
    `countersign session start --prompt "Review the change." --parent orchestrator --callback --write-scope /reviews/0`,
    'countersign session start --prompt - --wait < prompt.txt',
  ],
  notes: `With --wait, exit code ${EXIT.refused} where the session failed or did not record its result.`,
  run: async (input) => {
    const { flags, io, client } = input;
    const demands = given({
      hostname: flags.hostname,
      executor_type: flags.executorType,
      tags: flags.tags.length === 0 ? undefined : [...flags.tags],
    });
    const result = await client.runs.create({
      type: 'start_session',
      prompt: await readPrompt(flags.prompt, io),
      ...reference('parent_session', flags.parent),
      ...given({
        session_name: flags.name,
        agent_name: flags.agent,
        delivery: flags.delivery,
        project_dir: flags.projectDir,
        timeout_ms: flags.timeoutMs,
        demands: Object.keys(demands).length === 0 ? undefined : demands,
        metadata:
          flags.metadata === undefined ? undefined : await readObject(flags.metadata, '--metadata', io),
      }),
      ...statePromptsOf(flags),
      ...(await termsOf(flags, io)),
    });
    if (!result.ok) return input.out.refuse(result.failure);
    return printStarted(input, result.value);
  },
});

export const resume = clientCommand({
  usage: 'resume <session>',
  summary: 'give a session new work',
  flags: { prompt: promptFlag, ...termFlags, ...waitFlags },
  examples: ['countersign session resume reviewer --prompt "Look at the second change too." --callback'],
  run: async (input) => {
    const result = await input.client.runs.create({
      type: 'resume_session',
      prompt: await readPrompt(input.flags.prompt, input.io),
      ...reference('session', input.arg(0)),
      ...(await termsOf(input.flags, input.io)),
    });
    if (!result.ok) return input.out.refuse(result.failure);
    return printStarted(input, result.value);
  },
});

interface StartedInput extends ClientInput {
  readonly io: CliIo;
  readonly flags: { readonly wait: boolean; readonly waitTimeout: number | undefined };
}

/** Prints the run; or waits for the session and prints its result. */
async function printStarted(
  { client, clientUntil, out, io, flags }: StartedInput,
  run: RunView,
): Promise<number> {
  if (!flags.wait && flags.waitTimeout === undefined) {
    return out.show({ ok: true, value: run }, (one) => runText(out, one));
  }
  if (io.isTTY) out.note(`Waiting for session ${run.session_name} (${run.session_id}).`);
  const deadline = performance.now() + (flags.waitTimeout ?? Infinity);
  const after = run.type === 'resume_session' ? run.run_id : null;
  const leftMs = () => Math.max(0, deadline - performance.now());
  const look = (limit: AbortSignal) =>
    waitForSession(
      clientUntil(limit),
      run.session_id,
      flags.waitTimeout === undefined ? null : leftMs(),
      after,
    );
  // The work goes on over a restart of the service, and so does the wait.
  const session = await untilAnswered(() => answeredWithin(leftMs() + ANSWER_MS, undefined, look), {
    deadline,
  });
  if (!session.ok) return out.refuse(session.failure);
  const { status, state_update_status: update } = session.value;
  out.note(
    `Session ${status}${update === null ? '' : `, state update ${update}`}${hasEnded(session.value) ? '' : '; it goes on'}.`,
  );
  if (!endedWell(session.value)) {
    for (const line of await whatFailed(client, run.session_id)) out.note(line);
  }
  const code = out.show(await client.sessions.result(run.session_id), ({ result_text }) =>
    result_text === null ? '' : `${out.free(result_text.trimEnd())}\n`,
  );
  return code === EXIT.ok && !endedWell(session.value) ? EXIT.refused : code;
}

async function readPrompt(prompt: string, io: CliIo): Promise<string> {
  const text = prompt === '-' ? await readStdin(io) : prompt;
  if (text.trim() === '') throw new UsageError('The prompt is empty');
  return text;
}
