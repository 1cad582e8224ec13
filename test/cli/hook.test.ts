import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { problem, startHttpDouble, type Asked, type HttpDouble, type Reply } from '../client/http-double.js';
import { cli } from './io-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

const NOBODY = 'http://127.0.0.1:1';
const START = { hook_event_name: 'SessionStart', session_id: 'c-1', source: 'startup' };
const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const END = { hook_event_name: 'SessionEnd', session_id: 'c-1', reason: 'other' };
const TOOL = { hook_event_name: 'PreToolUse', session_id: 'c-1', tool_name: 'Write' };
const ok = (body: unknown): Reply => ({ status: 200, body });

interface Around {
  readonly client?: string;
  readonly env?: Record<string, string>;
  readonly args?: string[];
}

/** Runs a hook on an input, against a service that answers so. */
async function hook(
  name: string,
  input: unknown,
  answer: Reply | ((asked: Asked) => Reply | null) | null,
  { client = 'claude-code', env = {}, args = [] }: Around = {},
) {
  let url = NOBODY;
  let asked: Asked[] = [];
  if (answer !== null) {
    const double = await startHttpDouble(typeof answer === 'function' ? answer : () => answer);
    doubles.push(double);
    ({ url, asked } = double);
  }
  const stdin = typeof input === 'string' ? input : JSON.stringify(input);
  const argv = ['hook', name, '--client', client, ...args];
  const ran = await cli(argv, { stdin, env: { COUNTERSIGN_URL: url, ...env } });
  return { ...ran, asked, url, answer: ran.out === '' ? null : JSON.parse(ran.out) };
}

describe('a hook', () => {
  it.each<[string, string, object, object, object]>([
    [
      'session-start',
      'claude-code',
      START,
      { verdict: 'begin', text: 'who' },
      { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'who' } },
    ],
    [
      'stop',
      'claude-code',
      STOP,
      { verdict: 'go_on', text: 'write' },
      { decision: 'block', reason: 'write' },
    ],
    ['stop', 'codex', STOP, { verdict: 'end', text: null }, {}],
    [
      'stop',
      'gemini',
      { ...STOP, hook_event_name: 'AfterAgent' },
      { verdict: 'go_on', text: 'write' },
      { decision: 'deny', reason: 'write' },
    ],
    [
      'pre-tool-use',
      'gemini',
      { ...TOOL, hook_event_name: 'BeforeTool' },
      { verdict: 'deny', text: 'no' },
      { decision: 'deny', reason: 'no' },
    ],
    ['pre-tool-use', 'codex', TOOL, { verdict: 'allow', text: null }, {}],
  ])('%s answers %s in its own form', async (name, client, input, verdict, answer) => {
    const ran = await hook(name, input, ok(verdict), {
      client,
      args: name === 'stop' ? ['--wait', '0s'] : [],
    });
    expect(ran).toMatchObject({ code: 0, answer, err: '' });
    expect(ran.asked[0]).toMatchObject({ method: 'POST', url: expect.stringContaining(`/hooks/${client}?`) });
    expect(ran.asked[0]!.url).toContain('form=verdict');
  });

  it.each([
    ['codex', { ...TOOL, hook_event_name: 'PostToolUse' }, 'Stop'],
    ['gemini', { ...TOOL, hook_event_name: 'AfterTool' }, 'AfterAgent'],
    ['claude-code', STOP, 'Stop'],
    ['opencode', STOP, 'Stop'],
  ])('awaited tells the people of %s whom it waits for, at whatever event', async (client, input, event) => {
    const ran = await hook('awaited', input, ok({ verdict: 'end', text: 'At work: kid.' }), { client });
    expect(ran).toMatchObject({ code: 0, answer: { systemMessage: 'At work: kid.' }, err: '' });
    expect(ran.asked).toHaveLength(1);
    expect(ran.asked[0]!.url).toContain('awaited=true');
    expect(JSON.parse(ran.asked[0]!.body)).toEqual({ session_id: 'c-1', hook_event_name: event });
  });

  it.each([
    ['a service that is away', STOP, null, []],
    ['a session that is not known', STOP, problem(404, 'session_not_found', 'There is none.'), []],
    ['an input without a session', {}, null, []],
    ['a flag that is not known', STOP, null, ['--nonsense']],
  ])('awaited says nothing and holds nothing back for %s', async (_, input, answer, args) => {
    const ran = await hook('awaited', input, answer, { client: 'codex', args });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).not.toBe('');
  });

  it('names the session that the environment names, and shows its token alone', async () => {
    const env = { AGENT_SESSION_NAME: 'kid', COUNTERSIGN_TOKEN: 't' };
    const ran = await hook('stop', STOP, ok({ verdict: 'end', text: null }), { env, args: ['--wait', '0s'] });
    expect(ran.asked[0]!.url).toContain('session=kid');
    expect(ran.asked[0]!.headers).toMatchObject({ authorization: 'Bearer t' });
    const byId = await hook('stop', STOP, ok({ verdict: 'end', text: null }), {
      env: { ...env, AGENT_SESSION_ID: 'ses_1' },
      args: ['--wait', '0s'],
    });
    expect(byId.asked[0]!.url).toContain('session=ses_1');
    expect(byId.asked[0]!.headers).not.toHaveProperty('x-agent-session-id');
  });

  it('tells the cap that the client was given', async () => {
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' };
    const ran = await hook('stop', STOP, ok({ verdict: 'end', text: null }), { env, args: ['--wait', '0s'] });
    expect(ran.asked[0]!.url).toContain('refusals_max=3');
  });

  it('sends nothing of what a tool is called with', async () => {
    const input = { ...TOOL, tool_input: { content: 'secret' }, transcript_path: '/home/secret' };
    const ran = await hook('pre-tool-use', input, ok({ verdict: 'allow', text: null }));
    expect(JSON.parse(ran.asked[0]!.body)).toEqual(TOOL);
  });

  it('asks again for as long as a stop may wait, and at last without a wait', async () => {
    let count = 0;
    const ran = await hook(
      'stop',
      STOP,
      ({ url }) => {
        count += 1;
        return ok(
          url.includes('wait=') ? { verdict: 'waiting', text: null } : { verdict: 'end', text: 'over' },
        );
      },
      { args: ['--wait', '30ms'] },
    );
    expect(ran).toMatchObject({ code: 0, answer: { systemMessage: 'over' } });
    expect(count).toBeGreaterThan(1);
    expect(ran.asked.at(-1)!.url).not.toContain('wait=');
  });

  it('writes who the session is to the file that its commands read', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-hook-'));
    const file = join(dir, 'env.sh');
    const environment = { AGENT_SESSION_NAME: "o'hara", COUNTERSIGN_TOKEN: 't' };
    const env = { CLAUDE_ENV_FILE: file, HOME: dir };
    await hook('session-start', START, ok({ verdict: 'begin', text: 'who', environment }), { env });
    expect(readFileSync(file, 'utf8')).toBe(
      "export AGENT_SESSION_NAME='o'\\''hara'\nexport COUNTERSIGN_TOKEN='t'\n",
    );
    expect(statSync(file).mode & 0o077).toBe(0);
    const named = join(dir, 'named.sh');
    await hook('session-start', START, ok({ verdict: 'begin', text: 'who', environment }), {
      env: { HOME: dir },
      args: ['--write-env', named],
    });
    expect(readFileSync(named, 'utf8')).toContain("export COUNTERSIGN_TOKEN='t'\n");
    const missing = { CLAUDE_ENV_FILE: join(dir, 'no', 'env.sh'), HOME: dir };
    const ran = await hook('session-start', START, ok({ verdict: 'begin', text: 'who', environment }), {
      env: missing,
    });
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining('cannot be written') });
    rmSync(dir, { recursive: true });
  });

  it.each([
    ['made', null, null],
    ['found', "export THEIRS='1'", "export THEIRS='1'\n"],
  ] as const)('takes it out of a file that it has %s when the session ends', async (_, before, after) => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-hook-'));
    const file = join(dir, 'env.sh');
    if (before !== null) writeFileSync(file, before);
    const around = { env: { CLAUDE_ENV_FILE: file, HOME: dir } };
    const begin = (token: string) =>
      ok({ verdict: 'begin', text: 'who', environment: { A: '1', COUNTERSIGN_TOKEN: token } });
    await hook('session-start', START, begin('first'), around);
    await hook('session-start', START, begin('second'), around);
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(`${after ?? ''}export A='1'\nexport COUNTERSIGN_TOKEN='second'\n`);
    // What is remembered of it holds no token.
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    const others = names
      .map((name) => join(dir, name))
      .filter((one) => one !== file && !statSync(one).isDirectory());
    expect(others).toHaveLength(1);
    for (const one of others) expect(readFileSync(one, 'utf8')).not.toContain('second');
    const other = { ...END, session_id: 'another' };
    await hook('session-end', other, ok({ verdict: 'end', text: null }), { env: { HOME: dir } });
    expect(readFileSync(file, 'utf8')).toBe(text);
    // The coordinator is away: the file is repaired all the same.
    await hook('session-end', END, null, { env: { HOME: dir } });
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(after);
    rmSync(dir, { recursive: true });
  });
});

describe('a file of variables that sessions share', () => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-hook-'));
  const file = join(dir, 'env.sh');
  const around = { env: { CLAUDE_ENV_FILE: file, HOME: dir } };
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(dir, { recursive: true }));
  const begins = (id: string) => {
    const environment = { AGENT_SESSION_ID: id, COUNTERSIGN_URL: 'http://x', COUNTERSIGN_TOKEN: `t-${id}` };
    const answer = ok({ verdict: 'begin', text: 'who', environment });
    return hook('session-start', { ...START, session_id: id }, answer, around);
  };
  const ends = (id: string) => hook('session-end', { ...END, session_id: id }, null, around);
  const text = () => readFileSync(file, 'utf8');
  const URL_LINE = "export COUNTERSIGN_URL='http://x'\n";
  const linesOf = (id: string) =>
    `export AGENT_SESSION_ID='${id}'\n${URL_LINE}export COUNTERSIGN_TOKEN='t-${id}'\n`;

  it.each([
    ['the first', 'a', 'b'],
    ['the last', 'b', 'a'],
  ])('keeps the equal lines of another session if %s ends', async (_, ended, other) => {
    await begins('a');
    await begins('b');
    await ends(ended);
    expect(text()).toBe(linesOf(other));
  });

  it('keeps the equal lines of its user, before and after', async () => {
    writeFileSync(file, URL_LINE);
    await begins('a');
    appendFileSync(file, URL_LINE);
    await ends('a');
    expect(text()).toBe(`${URL_LINE}${URL_LINE}`);
  });

  it.each([
    ['wrote between the lines', /(?=export COUNTERSIGN_TOKEN)/, '# mine\n'],
    ['removed a line', URL_LINE, ''],
  ])('loses the lines also if somebody %s', async (_, place, mine) => {
    await begins('a');
    writeFileSync(file, `${URL_LINE}${text().replace(place, mine)}`);
    await begins('b');
    await ends('a');
    expect(text()).toBe(`${URL_LINE}${mine}${linesOf('b')}`);
  });

  it('keeps all of a file that was written anew since', async () => {
    await begins('a');
    writeFileSync(file, URL_LINE);
    await ends('a');
    expect(text()).toBe(URL_LINE);
  });
});

describe('where the coordinator does not answer', () => {
  it.each([
    ['is away', null],
    ['answers nonsense', { status: 200, body: '<html>' }],
    ['is another program', { status: 200, body: { hello: 'world' } }],
    ['has too much to do', problem(503, 'overloaded', 'later', { retryable: true })],
  ] as const)('a session goes on, with a word to its people: it %s', async (_, answer) => {
    for (const [name, input] of [
      ['stop', STOP],
      ['session-start', START],
    ] as const) {
      const ran = await hook(name, input, answer, { args: name === 'stop' ? ['--wait', '0s'] : [] });
      expect(ran.code).toBe(0);
      expect(ran.answer).toEqual({ systemMessage: expect.stringContaining('Countersign cannot be asked') });
    }
  });

  it.each([
    ['is away', null],
    ['answers nonsense', { status: 200, body: '<html>' }],
    ['is another program', { status: 200, body: { hello: 'world' } }],
    ['says a word that is not known', { status: 200, body: { verdict: 'maybe', text: null } }],
    ['fails', problem(500, 'internal', 'it broke')],
    ['does not know who asks', problem(401, 'unauthorized', 'a token is needed')],
    ['knows no hooks', problem(404, 'route_not_found', 'nothing here')],
  ] as const)('a tool that writes is denied, one that reads is not: it %s', async (_, answer) => {
    const ran = await hook('pre-tool-use', TOOL, answer);
    expect(ran.code).toBe(0);
    expect(ran.answer.hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/denies Write.*countersign serve/s),
    });
    const read = await hook('pre-tool-use', { ...TOOL, tool_name: 'Read' }, answer);
    expect(read).toMatchObject({ code: 0, answer: {}, asked: [] });
  });
});

describe('a hook that cannot be answered', () => {
  const bad: [string, string, RegExp][] = [
    ['nothing', '', /is not JSON/],
    ['no JSON', '{', /is not JSON/],
    ['no object', '[]', /is no hook input/],
    ['another event', JSON.stringify({ ...STOP, hook_event_name: 'Notification' }), /Notification/],
    ['no session', JSON.stringify({ hook_event_name: 'Stop' }), /hook_event_name|session_id/],
  ];
  it.each(bad)('says so of %s, lets a stop go and blocks a tool', async (_, stdin, words) => {
    const asked = ok({ verdict: 'allow', text: null });
    for (const [name, code] of [
      ['stop', 1],
      ['session-start', 1],
      ['subagent-stop', 1],
      ['pre-tool-use', 2],
    ] as const) {
      const ran = await hook(name, stdin, asked);
      expect(ran).toMatchObject({ code, out: '', asked: [] });
      expect(ran.err).toMatch(words);
    }
  });

  it('is no refusal to end where the session is not known', async () => {
    const ran = await hook('stop', STOP, problem(404, 'session_not_found', 'There is no session x.'));
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('session_not_found') });
  });

  it.each([
    [['hook', 'stop'], 1, /--client is required/],
    [['hook', 'stop', '--client', 'vim'], 1, /--client needs one of claude-code, codex, gemini/],
    [['hook', 'stop', '--bogus'], 1, /unknown option/],
    [['hook', 'subagent-stop', '--client', 'gemini'], 1, /has no hook subagent-stop/],
    [['hook', 'pre-tool-use'], 2, /--client is required/],
    [['hook', 'pre-tool-use', '--bogus'], 2, /unknown option/],
    [['hook', 'pre-tool-use', '--client', 'codex', '--url', 'nowhere'], 2, /Not the URL of a service/],
    [['hook', 'stpo', '--client', 'claude-code'], 1, /unknown command 'stpo'/],
    [['hook', 'pre-tool', '--client', 'codex'], 1, /unknown command 'pre-tool'/],
    [['hook', '--client', 'codex', 'stop'], 1, /unknown option/],
    [['hook', 'stpo', '--json'], 1, /unknown command/],
    [['hook'], 1, /Usage: countersign hook/],
    [['hook', 'install', '--client', 'vim'], 2, /--client needs one of/],
    [['hook', 'uninstall'], 2, /--client is required/],
  ])('%j exits with %d', async (argv, code, words) => {
    const ran = await cli(argv, { stdin: JSON.stringify(TOOL) });
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toMatch(words);
  });
});
