// Executes a run by the executor of a client, with a program in its place that replays a recording.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { AGENT_CLIS, createAgentExecutor, type AgentSettings } from '../../../src/runner/index.js';
import type { RunAgent } from '../../../src/runner/run-agent.js';
import { claimedRun } from '../claimed-run.js';
import { fakeCli, type FakeOptions } from './fake-cli.js';
import { readRecording, type Recording } from './recording.js';

export interface Replay extends FakeOptions {
  /** Name of a recording, or what is printed instead. */
  readonly plays: string | Recording;
  readonly run?: Partial<ClaimedRun>;
  readonly settings?: Partial<AgentSettings>;
  readonly agent?: RunAgent;
}

export const TOKEN = 'token-of-the-run';

/** Begins a run; its result is still to come. */
export function replay(client: string, { plays, run, settings, agent, ...options }: Replay) {
  const cli = AGENT_CLIS.find((one) => one.type === client)!;
  const fake = fakeCli(typeof plays === 'string' ? readRecording(client, plays) : plays, options);
  const executor = createAgentExecutor(cli, {
    program: fake.program,
    killGraceMs: 300,
    closeGraceMs: 100,
    timeoutSlackMs: 50,
    ...(settings === undefined ? {} : { settings }),
  });
  const ending = new AbortController();
  const started: (string | null)[] = [];
  const projectDir = mkdtempSync(path.join(tmpdir(), 'countersign-project-'));
  const result = executor.execute(claimedRun(run), {
    environment: {
      AGENT_SESSION_NAME: 'child',
      COUNTERSIGN_URL: 'http://127.0.0.1:4717',
      COUNTERSIGN_TOKEN: TOKEN,
    },
    projectDir,
    ...(agent === undefined ? {} : { agent }),
    signal: ending.signal,
    onStarted: (id) => started.push(id),
  });
  return { result, ending, started, fake, projectDir };
}
