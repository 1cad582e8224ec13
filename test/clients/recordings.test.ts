// The real clients do what their recordings say: whatever an executor reads from a stream, it still stands there.
// With RECORD=1 the recordings are made anew.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_CLIENTS } from '../../src/agent-clients/index.js';
import { NOTHING_SEEN, type Seen } from '../../src/agent-clients/runs/agent-cli.js';
import { enforceOutput, seenAtEnd, runResultOf } from '../../src/runner/index.js';
import { CLAUDE_CODE_SCENARIOS } from '../runner/clients/claude-code-scenarios.js';
import { CODEX_SCENARIOS } from '../runner/clients/codex-scenarios.js';
import { GEMINI_SCENARIOS } from '../runner/clients/gemini-scenarios.js';
import { OPENCODE_SCENARIOS } from '../runner/clients/opencode-scenarios.js';
import { writeRecording } from '../runner/clients/recording.js';
import { settingsFor, type Scenario } from '../runner/clients/scenario.js';
import { freePort } from '../support/free-port.js';
import { PlayedRunner } from '../support/played-runner.js';
import { must, Stage } from '../support/stage.js';
import { STAND_INS } from './client-runners.js';
import { installClients, type Installed } from './install.js';
import { record, scrubbed, type Recorded } from './record.js';
import { movedTo, surroundings, type Client } from './surroundings.js';

const SCORE = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] };
const SCENARIOS: Readonly<Record<Client, readonly Scenario[]>> = {
  'claude-code': CLAUDE_CODE_SCENARIOS,
  codex: CODEX_SCENARIOS,
  gemini: GEMINI_SCENARIOS,
  opencode: OPENCODE_SCENARIOS,
};
/** A runner loses a run that it does not report for its lease time. */
const HEARTBEAT_MS = 5000;
let stage: Stage;
let installed: Installed;
let tokens: PlayedRunner;
/** Takes every request, and answers none. */
const silent = createServer(() => undefined);

beforeAll(async () => {
  installed = await installClients();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  stage = await Stage.open({ runner: null });
  tokens = await PlayedRunner.register(stage.operator);
  const json_schema = { type: 'object', properties: { result: SCORE } };
  must(await stage.operator.schemas.register({ name: 'scores', json_schema }));
}, 600_000);
afterAll(async () => {
  silent.close();
  silent.closeAllConnections();
  await stage.close();
});

describe.each(Object.entries(SCENARIOS) as [Client, readonly Scenario[]][])('%s', (client, scenarios) => {
  const cli = AGENT_CLIENTS.find((one) => one.name === client)!;
  let last: { recorded: Recorded; place: ReturnType<typeof surroundings> } | null = null;

  it.each(scenarios)('$name', async (scenario) => {
    const api = await STAND_INS[client](scenario.script);
    const run = await begunRun();
    const apiUrl = scenario.api === 'away' ? `http://127.0.0.1:${await freePort()}` : api.url;
    const fresh = surroundings(client, apiUrl, scenario.anonymous);
    const place = scenario.resumes === 'last' && last !== null ? movedTo(client, last.place, apiUrl) : fresh;
    const program = path.join(installed.bin, cli.program);
    const version = execFileSync(program, ['--version'], { env: { ...process.env, ...place.environment } });
    const enforced = scenario.heldTo === undefined ? null : enforceOutput(scenario.heldTo, cli.outputForm!);
    const nowhere = `http://127.0.0.1:${await freePort()}/mcp`;
    const settings = { model: null, systemPrompt: null, args: [], ...settingsFor(scenario, nowhere) };
    const alive = setInterval(() => void tokens.heartbeat(run), HEARTBEAT_MS);
    const recorded = await record(cli, scenario, {
      bin: installed.bin,
      version: /\d+\.\d+\.\d+/.exec(version.toString())?.[0] ?? '',
      surroundings: place,
      call: {
        prompt: 'Record your score.',
        purpose: 'work',
        conversationId:
          scenario.resumes === 'last' && last !== null ? last.recorded.conversationId : randomUUID(),
        resumes: scenario.resumes !== undefined,
        outputSchema: enforced?.schema ?? null,
        settings,
        mcp: {
          url: await mcpUrl(scenario),
          token: run.environment['COUNTERSIGN_TOKEN'] ?? '',
        },
        identity: {},
        configuredServers: [],
      },
    });
    clearInterval(alive);
    // A runner holds only so many runs at a time.
    await tokens.complete(run, 'recorded');
    await api.close();
    if (scenario.resumes === undefined) last ??= { recorded, place };

    const found = recorded.stdout.reduce<Seen>(
      (before, line) => cli.read(before, JSON.parse(line)),
      NOTHING_SEEN,
    );
    const warned = recorded.stderr
      .split('\n')
      .reduce((before, line) => cli.readError?.(before, line, { settings }) ?? before, found);
    const seen = (recorded.log ?? '')
      .split('\n')
      .reduce((before, line) => cli.readLog?.(before, line) ?? before, warned);
    const { exit_code, exit_signal, stdout, stderr } = recorded;
    const end = {
      kind: 'ended',
      by: 'itself',
      exitCode: exit_code,
      exitSignal: exit_signal,
      stdout: stdout.join('\n'),
      stderr,
    } as const;
    const known = seenAtEnd(cli, seen, end);
    const verdict = runResultOf(cli, known, { end, stopped: false, enforced });
    if (process.env['RECORD'] === '1') writeRecording(client, scenario.name, scrubbed(recorded, place));
    expect(verdict).toMatchObject(scenario.expected);
    expect(known.tools).toBe(scenario.tools);
  });

  async function mcpUrl({ mcp }: Scenario): Promise<string> {
    if (mcp === 'silent') return `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}/mcp`;
    return mcp === 'away' ? `http://127.0.0.1:${await freePort()}/mcp` : `${stage.url}/mcp`;
  }

  /** A session with a state, whose token a client can come in with. */
  async function begunRun() {
    const session_name = `s-${randomUUID()}`;
    must(await stage.operator.runs.create({ type: 'start_session', session_name, prompt: 'x' }));
    must(
      await stage.operator.states.create({
        schema_name: 'scores',
        initial_data: {},
        root_session_name: session_name,
      }),
    );
    return tokens.take(session_name);
  }
});
