// Calls a real client as its executor would, without the executor, and keeps what it prints.
import { spawn } from 'node:child_process';
import { openRunHome } from '../../src/runner/agent/run-home.js';
import type { AgentCall, AgentCli } from '../../src/agent-clients/runs/agent-cli.js';
import { CONVERSATION, type Recording } from '../runner/clients/recording.js';
import type { Scenario } from '../runner/clients/scenario.js';
import type { Surroundings } from './surroundings.js';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Stage {
  readonly bin: string;
  readonly version: string;
  readonly surroundings: Surroundings;
  readonly call: Omit<AgentCall, 'folder'>;
}

export interface Recorded extends Recording {
  readonly conversationId: string;
}

/** Runs a client to its end. What it prints is taken as it is; `scrubbed` makes a recording of it. */
export async function record(cli: AgentCli, scenario: Scenario, stage: Stage): Promise<Recorded> {
  const folder = mkdtempSync(path.join(stage.surroundings.home, 'run-'));
  const { args, input, files, environment, home, log } = cli.invoke({ ...stage.call, folder });
  const place = home === undefined ? {} : await openRunHome(home, folder, stage.surroundings.environment);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const own = Object.fromEntries(
    Object.entries(environment).flatMap(([k, v]) => (v === null ? [] : [[k, v]])),
  );
  const child = spawn(path.join(stage.bin, cli.program), [...args, ...(scenario.args ?? [])], {
    cwd: stage.surroundings.project,
    env: {
      PATH: process.env['PATH'],
      ...stage.surroundings.environment,
      ...own,
      ...place,
    },
  });
  let stdout = '';
  let stderr = '';
  let signalled = false;
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    const { signal } = scenario;
    if (signal === undefined || signalled || stdout.split('\n').length <= signal.afterLines) return;
    signalled = true;
    child.kill(signal.name);
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(input);
  const [exit_code, exit_signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (code, signal) => resolve([code, signal])),
  );
  const lines = stdout.trimEnd().split('\n');
  const found = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/.exec(stdout)?.[1];
  return {
    version: stage.version,
    stdout: stdout === '' ? [] : lines,
    stderr,
    ...(log === undefined || !existsSync(log) ? {} : { log: readFileSync(log, 'utf8') }),
    exit_code,
    exit_signal,
    conversationId: found ?? stage.call.conversationId,
  };
}

/** Without ids, places, times and addresses. */
export function scrubbed({ conversationId, ...recording }: Recorded, { home }: Surroundings): Recording {
  const clean = (text: string) =>
    text
      .replaceAll(conversationId, CONVERSATION)
      .replaceAll(home, '/home/agent')
      .replaceAll(home.replaceAll('/', '-'), '-home-agent')
      .replace(/file:\/\/[^\s)]*\/node_modules\//g, 'file:///clients/node_modules/')
      .replace(/\/tmp\/gemini-client-error-[\w.-]+/g, '/tmp/gemini-client-error.json')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1')
      .replace(
        /"(uuid|request_id|id)":"[0-9a-f]{8}-[0-9a-f-]{27}"/g,
        '"$1":"00000000-0000-4000-8000-000000000001"',
      )
      .replace(/(wfstate|ses|run)_[0-9a-z]{24}/g, '$1_x')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-01T00:00:00.000Z');
  const { stdout, stderr, log } = recording;
  return {
    ...recording,
    stdout: stdout.map(clean),
    stderr: clean(stderr),
    ...(log === undefined ? {} : { log: aboutServers(clean(log)) }),
  };
}

/** Of a log that tells of everything, what is said of servers. */
function aboutServers(log: string): string {
  const lines = log.split('\n').filter((line) => line.includes('[MCP '));
  return lines.map((line) => `${line}\n`).join('');
}
