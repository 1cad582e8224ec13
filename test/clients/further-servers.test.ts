// The MCP servers of a named agent, in real clients: each is called, with its secrets, and none of these is an argument.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';
import { ClientRunners } from './client-runners.js';
import type { Heard, Turn } from './stand-in/script.js';
import type { Client } from './surroundings.js';

const SECRET = 'a-secret-of-the-runner';
const STORY_MS = 90_000;
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-further-'));

/** As each client calls a tool of the server `side`. */
const NAMES: Readonly<Record<Client, (server: string) => string>> = {
  'claude-code': (server) => `mcp__${server}__look`,
  codex: (server) => `mcp__${server}__look`,
  gemini: (server) => `mcp_${server}_look`,
  opencode: (server) => `${server}_look`,
};

/** What a server with one tool answers; `look` says what the tool does. Its text is part of the program below. */
function answer({ id, method, params }: any, look: () => object): object | null {
  if (id === undefined) return null;
  const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'side', version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: [tool] }),
    'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(look()) }] }),
  };
  const result = results[method];
  if (result === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: method } };
  return { jsonrpc: '2.0', id, result: result() };
}

/** Tells its variables, and the arguments of every process of its user. */
const STDIO = `
import { createInterface } from 'node:readline';
import { readdirSync, readFileSync } from 'node:fs';
${answer.toString()}
const commandLines = () =>
  readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).flatMap((pid) => {
    try { return [readFileSync('/proc/' + pid + '/cmdline', 'utf8')]; } catch { return []; }
  });
const look = () => ({
  secret: process.env.LOOK_SECRET,
  renamed: Object.keys(process.env).filter((name) => name.startsWith('COUNTERSIGN_MCP')),
  exposed: commandLines().some((line) => line.includes(process.env.LOOK_SECRET)),
});
createInterface({ input: process.stdin }).on('line', (line) => {
  const said = answer(JSON.parse(line), look);
  if (said !== null) process.stdout.write(JSON.stringify(said) + '\\n');
});
`;

let stage: Stage;
let runners: ClientRunners;
let side: Server;

beforeAll(async () => {
  runners = await ClientRunners.open();
  side = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const said = answer(JSON.parse(Buffer.concat(chunks).toString()), () => ({
        secret: request.headers['x-key'],
      }));
      if (said === null) return response.writeHead(202).end();
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => side.listen(0, '127.0.0.1', resolve));
  const agents = path.join(folder, 'agents');
  mkdirSync(agents);
  writeFileSync(path.join(folder, 'side.mjs'), STDIO);
  for (const client of Object.keys(NAMES)) {
    const secret = '${env:LOOK_SECRET}';
    const blueprint = {
      executor: client,
      environment: ['LOOK_SECRET'],
      mcp_servers: {
        near: {
          type: 'stdio',
          command: process.execPath,
          args: [path.join(folder, 'side.mjs')],
          env: { LOOK_SECRET: secret },
        },
        far: {
          type: 'http',
          url: `http://127.0.0.1:${(side.address() as AddressInfo).port}/mcp`,
          headers: { 'X-Key': secret },
        },
      },
    };
    writeFileSync(path.join(agents, `${client}.json`), JSON.stringify(blueprint));
  }
  stage = await Stage.open({ runner: null, serve: ['--agents', agents] });
}, 600_000);
afterEach(() => runners.close());
afterAll(async () => {
  await stage.close();
  side.close();
});

describe.each(Object.keys(NAMES) as Client[])('%s', (client) => {
  it(
    'calls the servers of its agent, whose secrets stand in no argument',
    async () => {
      const heard: string[] = [];
      const script = ({ turn, answer }: Heard): Turn => {
        if (turn > 0) heard[turn - 1] = answer;
        const server = ['near', 'far'][turn];
        return server === undefined ? { say: 'Seen.' } : { call: { tool: NAMES[client](server), input: {} } };
      };
      const place = await runners.place(client, script);
      const environment = { ...place.environment, LOOK_SECRET: SECRET };
      await runners.start(stage.url, client, { ...place, environment });
      const session = `looks-${client}`;
      must(
        await stage.operator.runs.create({
          type: 'start_session',
          session_name: session,
          agent_name: client,
          prompt: 'Look.',
        }),
      );
      const run = await eventually(
        'it has looked',
        async () => {
          const [one] = must(await stage.operator.runs.list({ session })).items;
          return one !== undefined && /^(completed|failed)$/.test(one.status) && one;
        },
        STORY_MS,
      );
      expect(run).toMatchObject({ status: 'completed', error: null });
      const [near = '', far = ''] = heard.map((one) => one.replaceAll('\\"', '"'));
      expect(near).toContain(`{"secret":"${SECRET}","renamed":[],"exposed":false}`);
      expect(far).toContain(`{"secret":"${SECRET}"}`);
    },
    STORY_MS,
  );
});
