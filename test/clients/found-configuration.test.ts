// What real clients find configured, by the user and in the project, does not speak for a run: each is laid out with
// entries that lead to the same coordinator as somebody else, under the documented name and under another.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';
import { ClientRunners } from './client-runners.js';
import type { Heard, Turn } from './stand-in/script.js';
import type { Client, Surroundings } from './surroundings.js';

const STORY_MS = 120_000;
const CONTRACT = { pointer: '/score', schema: { type: 'integer' } };
const CLIENTS: readonly (readonly [Client, 'bin' | 'olderBin'])[] = [
  ['claude-code', 'bin'],
  ['claude-code', 'olderBin'],
  ['codex', 'bin'],
  ['gemini', 'bin'],
  ['opencode', 'bin'],
];
/** All that each client offers of tools of the state, and what it is that it says. */
const OWN: Readonly<Record<Client, string>> = {
  'claude-code': 'mcp__countersign_run__state_patch',
  codex: 'mcp__countersign_run',
  gemini: 'mcp_countersign_run_state_patch',
  opencode: 'countersign_run_state_patch',
};

let stage: Stage;
let runners: ClientRunners;

beforeAll(async () => {
  runners = await ClientRunners.open();
  stage = await Stage.open({ runner: null, serve: ['--update-retry-delay-ms', '50'] });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
}, 600_000);
afterEach(() => runners.close());
afterAll(() => stage.close());

function put(file: string, content: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : `// Ours.\n${JSON.stringify(content)}`);
}

const members = (file: string): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8'));

/** Entries that would write as the parent. */
interface Found {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const VARIABLES = (root: string) => ({ COUNTERSIGN_TOKEN: 'of-somebody-else', AGENT_SESSION_NAME: root });
const asLines = (variables: Readonly<Record<string, string>>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const LAY_OUT: Readonly<Record<Client, (place: Surroundings, root: string, names: string[]) => void>> = {
  'claude-code'({ home, project }, root, names) {
    const servers = claudeServers(found(root), names);
    put(path.join(project, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
    const settings = { enableAllProjectMcpServers: true, env: VARIABLES(root) };
    put(path.join(project, '.claude/settings.json'), JSON.stringify(settings));
    put(path.join(home, '.claude/settings.json'), JSON.stringify({ env: VARIABLES(root) }));
    put(path.join(home, '.claude/.claude.json'), JSON.stringify({ mcpServers: servers }));
    put(path.join(project, '.env'), asLines(VARIABLES(root)));
  },
  codex({ home, project }, root, names) {
    const { url, headers } = found(root);
    const tables = names.map(
      (name) => `[mcp_servers.${name}]\nurl = "${url}"\nhttp_headers = ${toml(headers)}\n`,
    );
    const file = path.join(home, '.codex/config.toml');
    const documented = `[mcp_servers.countersign_by_command]
command = "countersign"
args = ["mcp"]
env = ${toml({ ...VARIABLES(root), COUNTERSIGN_URL: stage.url })}
`;
    const trusted = `[projects."${project}"]\ntrust_level = "trusted"\n`;
    put(file, `${readFileSync(file, 'utf8')}\n${trusted}\n${tables.join('\n')}\n${documented}`);
    put(
      path.join(project, '.codex/config.toml'),
      `[mcp_servers.of_project]\nurl = "${url}"\nhttp_headers = ${toml(headers)}\n`,
    );
    put(path.join(home, '.codex/.env'), asLines(VARIABLES(root)));
  },
  gemini({ home, project }, root, names) {
    const { url, headers } = found(root);
    const mcpServers = Object.fromEntries(
      names.map((name) => [name, { httpUrl: url, headers, trust: true }]),
    );
    const file = path.join(home, '.gemini/settings.json');
    put(file, { ...members(file), mcpServers });
    put(path.join(project, '.gemini/settings.json'), { mcpServers });
    put(path.join(project, '.env'), asLines(VARIABLES(root)));
  },
  opencode({ home, project, environment }, root, names) {
    const { url, headers } = found(root);
    const mcp = Object.fromEntries(
      names.map((name) => [name, { type: 'remote', url, headers, enabled: true, oauth: false }]),
    );
    const file = environment['OPENCODE_CONFIG'] ?? '';
    put(file, JSON.stringify({ ...members(file), mcp, permission: { '*': 'allow' } }));
    put(path.join(home, '.config/opencode/opencode.jsonc'), { mcp });
    put(path.join(project, 'opencode.json'), { mcp });
    put(path.join(project, '.env'), asLines(VARIABLES(root)));
  },
};

function found(root: string): Found {
  const url = `${stage.url.replace('127.0.0.1', 'localhost')}/mcp`;
  return { url, headers: { 'X-Agent-Session-Name': root } };
}

function claudeServers({ url, headers }: Found, names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { type: 'http', url, headers }]));
}

function toml(table: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(table)
    .map(([name, value]) => `"${name}" = ${JSON.stringify(value)}`)
    .join(', ')} }`;
}

async function startChild(
  client: Client,
  root: string,
  child: string,
  names: string[],
  bin: 'bin' | 'olderBin' = 'bin',
) {
  must(await stage.operator.sessions.create({ session_name: root, external: true }));
  must(await stage.operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: root }));
  const offered: string[][] = [];
  const script = ({ prompt, turn, offered: tools }: Heard): Turn => {
    offered.push(tools.filter((name) => (client === 'codex' ? true : name.endsWith('state_patch'))));
    if (!prompt.includes('<state-update-request')) return { say: 'The score is one.' };
    const operations = [{ op: 'add', path: '/score', value: 1 }];
    const command = `countersign state patch '[{"op": "add", "path": "/by_command", "value": 1}]'`;
    const calls: Turn[] = [
      ...(client === 'claude-code' ? [{ call: { tool: 'Bash', input: { command } } }] : []),
      { call: { tool: 'state_patch', input: { operations } } },
    ];
    return calls[turn] ?? { say: 'It is recorded.' };
  };
  const place = await runners.place(client, script, runners.installed[bin]);
  LAY_OUT[client](place, root, names);
  const hostname = await runners.start(stage.url, client, place);
  must(
    await stage.operator.runs.create({
      type: 'start_session',
      session_name: child,
      parent_session_name: root,
      prompt: 'Score it.',
      completion: { contract: CONTRACT },
      demands: { hostname },
    }),
  );
  const completion = await eventually(
    'the child is done',
    async () => {
      const one = must(await stage.operator.sessions.completion(child));
      const over = /^(completed|failed)$/.test(one.state_update_status ?? '');
      return over && one.attempts.at(-1)?.outcome !== 'open' && one;
    },
    STORY_MS,
  );
  return { completion, offered };
}

describe.each(CLIENTS)('%s (%s)', (client, bin) => {
  it(
    'writes as the session of its run, whatever it finds configured',
    async () => {
      const [root, child] = [`root-found-${client}-${bin}`, `found-${client}-${bin}`];
      const { completion, offered } = await startChild(client, root, child, ['countersign', 'cs'], bin);
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
      // Only the run's own, and that whenever the model was asked.
      expect(offered.filter((one) => one.join() !== OWN[client])).toEqual([]);
      const session = must(await stage.operator.sessions.get(child));
      const { events } = must(await stage.operator.states.events(session.workflow_state_id ?? '', {}));
      const writes = events.filter(({ kind }) => kind === 'json_patch');
      expect(writes).toHaveLength(client === 'claude-code' ? 2 : 1);
      for (const one of writes) expect(one.session_id).toBe(session.session_id);
    },
    STORY_MS,
  );
});

describe.each(['codex', 'gemini'] as const)('%s', (client) => {
  it(
    'does not run where an entry takes the name of the run, and says so',
    async () => {
      const [root, child] = [`root-taken-${client}`, `taken-${client}`];
      const { completion } = await startChild(client, root, child, ['countersign_run']);
      expect(completion).toMatchObject({ state_update_status: 'failed', attempts: [] });
      const [run] = must(await stage.operator.runs.list({ session: child })).items;
      expect(run).toMatchObject({ status: 'failed', cause: 'configuration' });
      expect(run?.error).toContain('finds an MCP server "countersign_run"');
      const session = must(await stage.operator.sessions.get(child));
      const { events } = must(await stage.operator.states.events(session.workflow_state_id ?? '', {}));
      expect(events.filter(({ kind }) => kind !== 'create')).toEqual([]);
    },
    STORY_MS,
  );
});
