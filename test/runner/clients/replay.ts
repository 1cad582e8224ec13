// Executes a run by the executor of a client, with a program in its place that replays a recording.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { AGENT_CLIENTS } from '../../../src/agent-clients/index.js';
import type { AgentSettings } from '../../../src/agent-clients/runs/agent-cli.js';
import { createAgentExecutor } from '../../../src/runner/index.js';
import type { RunAgent } from '../../../src/runner/run-agent.js';
import { claimedRun } from '../claimed-run.js';
import { fakeCli, type FakeOptions } from './fake-cli.js';
import { CONVERSATION, readRecording, type Recording } from './recording.js';

export interface Replay extends FakeOptions {
  /** Name of a recording, or what is printed instead; several for one call after the other. */
  readonly plays: string | Recording | readonly string[];
  readonly recordBy?: 'tools' | 'output';
  readonly run?: Partial<ClaimedRun>;
  readonly settings?: Partial<AgentSettings>;
  readonly agent?: RunAgent;
  /** What lies in the project, by path. */
  readonly projectFiles?: Readonly<Record<string, string>>;
}

export const TOKEN = 'token-of-the-run';

/** Begins a run; its result is still to come. */
export function replay(
  client: string,
  { plays, run, settings, agent, projectFiles = {}, recordBy = 'tools', ...options }: Replay,
) {
  const cli = AGENT_CLIENTS.find((one) => one.name === client)!;
  const named = typeof plays === 'string' ? [plays] : plays;
  const recordings = isNamed(named) ? named.map((name) => readRecording(client, name)) : [named];
  const fake = fakeCli(recordings, options);
  const executor = createAgentExecutor(cli, {
    program: fake.program,
    killGraceMs: 300,
    closeGraceMs: 100,
    timeoutSlackMs: 50,
    lingerMs: 500,
    recordBy,
    ...(settings === undefined ? {} : { settings }),
  });
  const ending = new AbortController();
  const started: (string | null)[] = [];
  const projectDir = mkdtempSync(path.join(tmpdir(), 'countersign-project-'));
  for (const [name, text] of Object.entries(projectFiles)) {
    mkdirSync(path.dirname(path.join(projectDir, name)), { recursive: true });
    writeFileSync(path.join(projectDir, name), text);
  }
  const result = executor.execute(claimedRun(run), {
    environment: {
      AGENT_SESSION_NAME: 'child',
      COUNTERSIGN_URL: 'http://127.0.0.1:4717',
      COUNTERSIGN_TOKEN: TOKEN,
    },
    projectDir,
    ...(agent === undefined ? {} : { agent }),
    signal: ending.signal,
    lost: new AbortController().signal,
    onStarted: (id) => started.push(id),
  });
  return { result, ending, started, fake, projectDir };
}

function isNamed(plays: Recording | readonly string[]): plays is readonly string[] {
  return Array.isArray(plays);
}

/** An update run with a contract, of a session that is bound to a conversation. */
export function updateRun(contract: ClaimedRun['contract']): Partial<ClaimedRun> {
  return {
    type: 'resume_session',
    purpose: 'state_update',
    executor_session_id: CONVERSATION,
    ...(contract === undefined ? {} : { contract }),
  };
}
