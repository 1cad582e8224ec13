// The demonstration from its first line to its last: starts the root, follows the stream, reports.
import { readFile } from 'node:fs/promises';
import { harmless } from '../cli/text/terminal-text.js';
import { createClient, type CountersignService, type JsonValue, type StreamEvent } from '../client/index.js';
import { linkSignals } from '../lib/signals.js';
import { deviationsOf } from './check.js';
import { CHILDREN, ROOT, SCHEMA_NAME } from './children.js';
import { DemoFault, valueOrThrow } from './fault.js';
import { attemptText, Progress } from './progress.js';
import { reportOf, verboseReportOf, type HowToCall } from './report.js';
import { takeSnapshot } from './snapshot.js';
import type { WorkflowDemoSetting } from './workflow/show.js';

interface DemoSetting extends WorkflowDemoSetting {
  /** Work tree of the repository under review. */
  readonly repository: string;
  /** Shows every step and the whole state. */
  readonly verbose: boolean;
  readonly call: HowToCall;
}

const STORY_MS_MAX = 120_000;
const SCHEMA = new URL('../../schemas/code-review.json', import.meta.url);

/**
 * Shows the demonstration.
 *
 * @returns True where everything went as expected.
 * @throws DemoFault It cannot go on, or does not end in time. `signal.reason` where that stopped it.
 */
export async function showDemo(setting: DemoSetting): Promise<boolean> {
  const { url, repository, verbose, style, write, signal, call } = setting;
  const service = createClient({ url, signal });
  write(`Five children review ${harmless(repository)}, each its part of one state. 10 s …\n\n`);
  await registerSchema(service);
  await follow(service, setting);
  signal.throwIfAborted();
  const snapshot = await takeSnapshot(service);
  const results = await Promise.all(CHILDREN.map(({ name }) => service.sessions.result(name)));
  const said = new Map(
    CHILDREN.map(({ name }, at) => [name, results[at]?.ok === true ? results[at].value.result_text : null]),
  );
  if (verbose) write(`${verboseReportOf(snapshot, style)}\n`);
  write(reportOf(snapshot, said, style, call));
  const deviations = deviationsOf(snapshot, valueOrThrow(await service.operations.doctor()));
  if (deviations.length > 0) {
    write(`\nThis did not go as expected:\n${deviations.map((one) => `  - ${harmless(one)}\n`).join('')}`);
  }
  return deviations.length === 0;
}

async function registerSchema(service: CountersignService): Promise<void> {
  const schema = JSON.parse(await readFile(SCHEMA, 'utf8')) as JsonValue;
  valueOrThrow(await service.schemas.register({ name: SCHEMA_NAME, json_schema: schema }));
}

/** Starts the root when the stream is open, and reads the stream until nothing is under way any more. */
async function follow(
  service: CountersignService,
  { repository, signal, ...shown }: DemoSetting,
): Promise<void> {
  const timeout = AbortSignal.timeout(STORY_MS_MAX);
  const linked = linkSignals(signal, timeout);
  const stream = valueOrThrow(await service.streams.all({}, { signal: linked.signal }));
  const progress = new Progress();
  const startedAt = Date.now();
  let isStarted = false;
  try {
    for await (const events of stream) {
      for (const event of events) await show(event, { ...shown, service, progress, startedAt });
      if (progress.isOver) return;
      if (isStarted) continue;
      isStarted = true;
      await startRoot(service, repository);
    }
  } finally {
    linked.abort();
    linked.release();
  }
  if (timeout.aborted) {
    throw new DemoFault(`The story did not come to an end within ${String(STORY_MS_MAX / 1000)} seconds.`);
  }
}

async function startRoot(service: CountersignService, repository: string): Promise<void> {
  valueOrThrow(
    await service.runs.create({
      type: 'start_session',
      session_name: ROOT,
      agent_name: ROOT,
      project_dir: repository,
      prompt: 'Have this repository reviewed by your five children, and sum up what they record.',
    }),
  );
}

type Shown = Pick<DemoSetting, 'verbose' | 'write'> & {
  readonly service: CountersignService;
  readonly progress: Progress;
  readonly startedAt: number;
};

async function show(
  event: StreamEvent,
  { service, progress, startedAt, verbose, write }: Shown,
): Promise<void> {
  const step = progress.apply(event);
  if (!verbose) return;
  const line = (who: string, text: string) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(2).padStart(6);
    write(`${seconds}s  ${who.padEnd(13)}  ${harmless(text)}\n`);
  };
  if (step !== null) line(...step);
  if (event.event !== 'run_updated' || event.data.purpose !== 'state_update') return;
  if (event.data.status !== 'completed') return;
  const completion = valueOrThrow(await service.sessions.completion(event.data.session_id));
  const text = attemptText(completion, event.data.run_id);
  if (text !== null) line(event.data.session_name, text);
}
