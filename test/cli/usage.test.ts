import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { hostname, tmpdir } from 'node:os';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ERRORS, fail } from '../../src/domain/errors.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { programParts } from '../../src/cli/command-list.js';
import { createProgram } from '../../src/cli/program.js';
import { EXIT, exitCodeOf, runCli } from '../../src/cli/index.js';
import { cli } from './io-double.js';

/** The program with all of its commands; none of them does anything. */
async function wholeProgram(): Promise<Command> {
  const nothing = () => Promise.resolve(0);
  const refusedFile = () => Promise.resolve(fail('invalid_request', 'unused'));
  return createProgram(
    { io: { ...process, isTTY: false, width: 80 }, setExitCode: () => undefined },
    await programParts(undefined, {
      ...{ serve: nothing, runner: nothing, mcp: nothing, demo: nothing },
      ...{ copyDatabase: nothing, tokenCreate: nothing, tokenList: nothing, tokenRevoke: nothing },
      ...{ examineFile: refusedFile, compareSchemas: refusedFile },
      ...{ verify: refusedFile, backup: refusedFile, restore: refusedFile },
    }),
  );
}

/** Every group and command of the program, as words. */
async function allCommands(): Promise<string[][]> {
  const below = (command: Command, words: string[]): string[][] =>
    command.commands.flatMap((one) => [[...words, one.name()], ...below(one, [...words, one.name()])]);
  return [[], ...below(await wholeProgram(), [])];
}

/** The long form of every flag of the program, once. */
async function allFlags(): Promise<string[]> {
  const of = (command: Command): string[] => [
    ...command.options.flatMap(({ long }) => long ?? []),
    ...command.commands.flatMap(of),
  ];
  return [...new Set(of(await wholeProgram()))];
}

describe('flags', () => {
  it('reach the program: node takes none of them for itself', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-flags-'));
    const script = join(dir, 'shown.mjs');
    writeFileSync(script, 'console.log(JSON.stringify(process.argv.slice(2)))');
    // Values that are no file: node ends before the script where it takes one of the flags.
    const args = (await allFlags()).flatMap((flag) => [flag, 'nowhere', `${flag}=nowhere`]);
    expect(args).toContain('--url');
    const shown = execFileSync(process.execPath, [script, ...args], { cwd: dir, encoding: 'utf8' });
    expect(JSON.parse(shown)).toEqual(args);
    rmSync(dir, { recursive: true });
  });
});

describe('mistakes', () => {
  it.each([
    [['state', 'get', 'sta_1', '--bogus', '--json'], /^unknown option '--bogus'/],
    [['state', 'get', 'sta_1', 'extra', '--json'], /^too many arguments/],
    [['state', 'bogus', '--json'], /^unknown command 'bogus'/],
    [['bogus', '--json'], /^unknown command 'bogus'/],
    [['schema', 'show', '--json'], /^missing required argument/],
    [['state', '--json'], /./],
  ])('of %j are told as JSON', async (argv, detail) => {
    const { code, out, err } = await cli(argv);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toEqual({ error: 'usage', detail: expect.stringMatching(detail) });
  });

  it.each([
    [['state', 'get', '--pointr', '/a'], /unknown option '--pointr'\n\(Did you mean --pointer\?\)/],
    [['stat', 'get'], /unknown command 'stat'\n\(Did you mean state\?\)/],
    [['run', 'show'], /missing required argument 'run'/],
    [['run', 'show', 'a', 'b'], /too many arguments/],
    [['run', 'list', '--status', 'lost'], /--status needs one of pending, claimed/],
    [['run', 'list', '--limit', '0'], /--limit needs a whole number from 1 to 1000, not '0'/],
    [['run', 'list', '--url', 'nowhere'], /Not the URL of a service: nowhere/],
    [['run', 'show', '..', '--url', 'http://127.0.0.1:1'], /invalid_request/],
    [
      ['schema', 'register', './no-such-file', '--name', 'plan'],
      /There is no file \.\/no-such-file, and it is not JSON/,
    ],
    [['schema', 'register', '/', '--name', 'plan'], /The file \/ cannot be read/],
    [['schema', 'register', '-', '--name', 'plan'], /Standard input is not JSON/],
    [['schema', 'register', '{}'], /--name is required/],
    [['state', 'get'], /No state is named: give its id, or set WORKFLOW_STATE_ID/],
    [['state', 'set'], /No document is given/],
    [['state', 'set', '{}'], /No state is named/],
    [['state', 'set', 'sta_1'], /'sta_1' is neither a file nor JSON/],
    [['state', 'patch', 'sta_1', '[{]'], /The argument is not JSON/],
    [['session', 'start'], /--prompt is required/],
    [['session', 'start', '--prompt', '-'], /The prompt is empty/],
    [['session', 'create', '--delivery', 'mail'], /--delivery needs one of resume, pull, webhook/],
    [['session', 'create', '--contract', '[]'], /--contract needs a JSON object/],
    [['session', 'start', '--prompt', 'x', '--contract', '{"pointer":"/a"}'], /--contract needs/],
    [['session', 'start', '--prompt', 'x', '--metadata', '[]'], /--metadata needs a JSON object/],
    [['callback', 'pull', 'x', '--wait', '30'], /--wait needs a span of time such as 30s/],
    [['serve', '--history-max-age', '0s'], /--history-max-age needs a span of at least 1ms/],
    [['serve', '--port', '70000'], /--port needs a whole number from 0 to 65535/],
    [['serve', '--runner'], /A runner needs to know what to execute/],
    [
      ['serve', '--allow-host', 'http://proxy.example'],
      /--allow-host needs names .*'http:\/\/proxy.example'/,
    ],
    [
      ['serve', '--allow-origin', 'https://a.example,b.example'],
      /--allow-origin needs origins .*,b.example'/,
    ],
    [['serve', '--allow-origin', 'https://a.example/path'], /--allow-origin needs origins/],
    [['runner'], /--exec is required \(or COUNTERSIGN_EXEC in the environment\)/],
    [['runner', '--exec', 'x', '--executor', 'magic'], /--executor needs one of command/],
    [
      ['runner', '--executor', 'command', 'claude-code', '--agent-args', '--verbose --settings mine.json'],
      /--agent-args \(COUNTERSIGN_AGENT_ARGS\) has --settings, which the runner sets itself for every run of claude-code; instead: --allowedTools/,
    ],
    [['serve', '--runner', '--executor', 'opencode', '--agent-args=-s ses_1'], /has -s, .* of opencode/],
    [['token', 'create', '--name', 'ci', '--role', 'king'], /--role needs one of admin/],
    [[], /Usage: countersign/],
    [['state'], /Usage: countersign state/],
  ])('%j is told and exits with 2', async (argv, message) => {
    const ran = await cli(argv);
    expect(ran).toMatchObject({ code: EXIT.usage, out: '', wired: [] });
    expect(ran.err).toMatch(message);
    if (argv.length > 1) expect(ran.err).toMatch(/--help|hint|Usage/);
  });

  it.each([
    [['list', 'phase'], /keys list takes no arguments; key is not among them/],
    [['list', '--if-match', '77', '--create'], /keys list takes no arguments; --if-match is not/],
    [['--create'], /keys list takes no arguments; --create is not/],
    [['get', 'phase', '1'], /keys get takes key; value is not among them/],
    [['get', 'phase', '--if-match', '77'], /keys get takes key; --if-match is not/],
    [['get', 'phase', '--create'], /keys get takes key; --create is not/],
    [['delete', 'phase', '1'], /keys delete takes key, --if-match, --base, --on-conflict; value is not/],
    [
      ['delete', 'phase', '--create'],
      /keys delete takes key, --if-match, --base, --on-conflict; --create is not/,
    ],
    [['set', 'phase', '1', '--if-match', '7', '--create'], /--if-match and --create never both hold/],
  ])('of state keys %j are told with what the verb takes', async (argv, message) => {
    const ran = await cli(['state', 'keys', ...argv, '--session', 's']);
    expect(ran).toMatchObject({ code: EXIT.usage, out: '' });
    expect(ran.err).toMatch(message);
  });

  it('of the encoding are told of standard input and of a file, whose byte order mark is passed over', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-usage-'));
    const [latin, marked] = [join(dir, 'latin.json'), join(dir, 'marked.json')];
    const bytes = Buffer.from('{"a":"M\xfcller"}', 'latin1');
    writeFileSync(latin, bytes);
    writeFileSync(marked, '\ufeff{"a":1}');
    try {
      const write = (from: string) =>
        cli(['state', 'patch', 'wfstate_1', '--merge', from, '--url', 'http://127.0.0.1:1'], {
          stdin: bytes,
        });
      const [input, file] = [await write('-'), await write(latin)];
      expect([input.code, input.err]).toEqual([2, expect.stringContaining('Standard input is not UTF-8')]);
      expect([file.code, file.err]).toEqual([
        2,
        expect.stringContaining(`The content of ${latin} is not UTF-8`),
      ]);
      const prompt = await cli(['session', 'start', '--prompt', '-'], { stdin: bytes });
      expect([prompt.code, prompt.err]).toEqual([2, expect.stringContaining('is not UTF-8')]);
      expect((await write(marked)).code).toBe(EXIT.unreachable);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('are none where a document comes through a FIFO, and are told where a file never ends', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-usage-'));
    const fifo = join(dir, 'fifo');
    execFileSync('mkfifo', [fifo]);
    try {
      const patch = (...from: string[]) =>
        cli(['state', 'patch', ...from, '--merge', '--url', 'http://127.0.0.1:1'], {
          env: { WORKFLOW_STATE_ID: 'wfstate_1' },
        });
      const written = writeFile(fifo, '{"a":1}');
      // The one argument is the document, as a file's name would be, and not the state.
      expect((await patch(fifo)).code).toBe(EXIT.unreachable);
      await written;
      const endless = await patch('wfstate_1', '/dev/zero');
      expect(endless.code).toBe(EXIT.usage);
      expect(endless.err).toMatch(/\/dev\/zero is longer than \d+ bytes \(documentFileBytesMax\)/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('are none where a document is longer than a body by default: the service knows its own bound', async () => {
    const stdin = `${JSON.stringify({ a: 1 })}${' '.repeat(DEFAULT_LIMITS.bodyBytesMax)}`;
    const ran = await cli(['state', 'set', 'wfstate_1', '-', '--url', 'http://127.0.0.1:1'], { stdin });
    expect(ran.code).toBe(EXIT.unreachable);
  });

  it('in the environment name the variable', async () => {
    const ran = await cli(['serve'], { env: { COUNTERSIGN_PORT: 'http' } });
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.err).toMatch(/COUNTERSIGN_PORT needs a whole number/);
  });

  it("in a runner's settings are none to a coordinator without a runner", async () => {
    const env = { COUNTERSIGN_EXECUTOR: 'claude-code', COUNTERSIGN_AGENT_ARGS: '--settings mine.json' };
    expect(await cli(['serve', '--runner'], { env })).toMatchObject({ code: EXIT.usage, wired: [] });
    expect(await cli(['serve'], { env })).toMatchObject({ code: EXIT.ok });
  });

  it.each([
    ['foo', '--help'],
    ['--help', 'foo'],
    ['foo', '-h'],
    ['foo', 'bar', '--help'],
    ['help', 'foo'],
    ['state', 'foo', '--help'],
    ['state', '--help', 'foo'],
    ['help', 'state', 'foo'],
    ['state', 'help', 'foo'],
    ['token', 'lst', '-h'],
  ])('%j %s %s: help on a command that there is none of exits with 2', async (...argv) => {
    const ran = await cli(argv);
    expect(ran).toMatchObject({ code: EXIT.usage, out: '', wired: [] });
    expect(ran.err).toMatch(/unknown command '(foo|lst)'/);
  });

  it.each([
    ['--nope', '--help'],
    ['--help', '--nope'],
    ['help', '--nope'],
    ['state', '--nope', '--help'],
    ['state', '--help', '--nope'],
    ['state', 'help', '--nope'],
    ['help', 'state', '--nope'],
    ['--nope', 'state', '--help'],
    ['state', '--nope', 'get', '--help'],
    ['help', 'state', 'get', '--nope'],
  ])('%j %s %s %s: help with an option that there is none of exits with 2', async (...argv) => {
    const ran = await cli(argv);
    expect(ran).toMatchObject({ code: EXIT.usage, out: '', wired: [] });
    expect(ran.err).toMatch(/unknown option '--nope'/);
  });

  it('beside --help are what they are without it, in every command', async () => {
    for (const words of await allCommands()) {
      const help = await cli([...words, '--help']);
      expect(help, words.join(' ')).toMatchObject({ code: EXIT.ok, err: '', wired: [] });
      const wrong = [
        ['--nope'],
        ['--nope=1'],
        ['-Z'],
        ['--nope', '--', 'x'],
        Array<string>(9).fill('excess'),
      ];
      for (const more of wrong) {
        for (const argv of [
          [...words, ...more.slice(0, 1), '--help', ...more.slice(1)],
          [...words, '-h', ...more],
        ]) {
          const ran = await cli(argv);
          // A hook ends with 1: 2 means something else to its client.
          const code = words[0] === 'hook' ? ran.code : EXIT.usage;
          expect(ran, argv.join(' ')).toMatchObject({ code, out: '', wired: [] });
          expect(ran.code, argv.join(' ')).not.toBe(EXIT.ok);
          expect(ran.err, argv.join(' ')).toMatch(/unknown|too many/);
        }
      }
    }
  });

  it.each([
    ['--help'],
    ['help'],
    ['help', 'state'],
    ['state', '--help'],
    ['help', 'state', 'get'],
    ['state', 'help', 'get'],
    ['state', 'get', 'anything', '--help'],
    ['serve', '-h'],
  ])('%j %s %s %s is help, and exits with 0', async (...argv) => {
    const ran = await cli(argv);
    expect(ran).toMatchObject({ code: EXIT.ok, err: '', wired: [] });
    expect(ran.out).toMatch(/Usage: countersign/);
  });

  it('of the program itself exit with 70 and ask for a report', async () => {
    let err = '';
    const bug = () => Promise.reject(new Error('impossible'));
    const code = await runCli(
      ['serve'],
      {
        stdout: { write: () => true },
        stderr: { write: (text) => (err += text) },
        stdin: Readable.from([]),
        env: {},
        isTTY: false,
        width: 80,
      },
      {
        serve: bug,
        runner: bug,
        mcp: bug,
        demo: bug,
        copyDatabase: bug,
        tokenCreate: bug,
        tokenList: bug,
        tokenRevoke: bug,
        examineFile: bug,
        verify: bug,
        backup: bug,
        restore: bug,
        compareSchemas: bug,
      },
    );
    expect(code).toBe(70);
    expect(err).toMatch(/impossible[^]*please report it/);
  });
});

describe('help', () => {
  it('of the program lists every exit code', async () => {
    const { code, out } = await cli(['--help']);
    expect(code).toBe(0);
    for (const exit of Object.values(EXIT)) expect(out).toMatch(new RegExp(`^ +${exit}  \\S`, 'm'));
  });

  it.each([
    'serve',
    'runner',
    'runners',
    'overview',
    'activity',
    'whoami',
    'demo',
    'doctor',
    ...['register', 'list', 'show', 'validate'].map((name) => `schema ${name}`),
    ...['create', 'list', 'get', 'set', 'patch', 'log'].map((name) => `state ${name}`),
    ...[
      'start',
      'create',
      'resume',
      'list',
      'show',
      'tree',
      'result',
      'stop',
      'skip',
      'retry',
      'completion',
      'completions',
    ].map((name) => `session ${name}`),
    ...[
      'show',
      'start',
      'complete',
      'decide',
      'approve',
      'reject',
      'verdict',
      'verdicts',
      'handoff',
      'phase',
      'mode',
      'evidence',
    ].map((name) => `workflow ${name}`),
    ...['list', 'show', 'stop'].map((name) => `run ${name}`),
    ...['list', 'show'].map((name) => `agent ${name}`),
    ...['list', 'ack', 'redeliver', 'pull'].map((name) => `callback ${name}`),
    ...['create', 'list', 'revoke'].map((name) => `token ${name}`),
  ])('of %s shows an example', async (command) => {
    const { code, out } = await cli([...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`$ countersign ${command}`);
  });

  it.each([
    ['help', 'state', 'get'],
    ['state', 'help', 'get'],
    ['help', 'doctor'],
    ['help', 'state', 'keys', 'get', 'phase'],
  ])('of a command comes by words, too: %s %s %s', async (...words) => {
    const [group = '', command = ''] = words.filter((word) => word !== 'help');
    const { code, out } = await cli(words);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: countersign ${group} ${command}`.trimEnd());
    expect(out).toContain('Examples:');
  });

  it('shows defaults of spans of time as the flags take them', async () => {
    const of = (command: Command): string[] => [
      ...command.options.map((one) => `${one.flags} ${one.description}`),
      ...command.commands.flatMap(of),
    ];
    const spans = of(await wholeProgram()).flatMap(
      (text) => /<(?:time|span)>.*\(default: (\d\w*)/.exec(text)?.[1] ?? [],
    );
    expect(spans).toEqual(expect.arrayContaining(['30s', '4m', '1d']));
    for (const span of spans) expect(span).toMatch(/^\d+(ms|s|m|h|d)$/);
  });

  it('tells the version', async () => {
    expect(await cli(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});

describe('wired commands', () => {
  it('get the defaults', async () => {
    const { code, wired } = await cli(['serve']);
    expect(code).toBe(0);
    expect(wired).toEqual([
      {
        name: 'serve',
        options: {
          host: '127.0.0.1',
          port: 4717,
          db: undefined,
          auth: false,
          runner: null,
          agents: null,
          allowHosts: [],
          allowOrigins: [],
          logLevel: 'info',
          limits: {},
          tokensOutliveRuns: false,
          statePrompts: { context: true, summary: true },
          webhookAllow: [],
        },
      },
    ]);
  });

  it('get the environment, and flags before it', async () => {
    const env = {
      COUNTERSIGN_HOST: '0.0.0.0',
      COUNTERSIGN_PORT: '1',
      COUNTERSIGN_DB: '/data/c.db',
      COUNTERSIGN_AUTH: 'yes',
      COUNTERSIGN_RUNNER: '1',
      COUNTERSIGN_EXEC: 'agent',
      COUNTERSIGN_AGENTS: 'team',
      COUNTERSIGN_ALLOW_HOST: 'a, b',
      COUNTERSIGN_LOG_LEVEL: '',
      COUNTERSIGN_LEASE_MS: '5000',
      COUNTERSIGN_STATE_CONTEXT: 'off',
      COUNTERSIGN_WEBHOOK_ALLOW: '10.0.0.0/8, ::1/128',
    };
    const argv = [
      'serve',
      '--port',
      '2',
      '--concurrent',
      '3',
      '--project-dir',
      'p',
      '--allow-origin',
      'http://o',
      '--state-summary',
      'off',
    ];
    const { wired } = await cli([...argv, '--update-attempts', '5'], { env });
    expect(wired[0]?.options).toEqual({
      host: '0.0.0.0',
      port: 2,
      db: '/data/c.db',
      auth: true,
      runner: {
        execution: {
          executors: ['command'],
          exec: 'agent',
          agentModel: null,
          agentArgs: [],
          recordBy: 'tools',
        },
        projectDir: resolve('p'),
        concurrentMax: 3,
      },
      agents: resolve('team'),
      allowHosts: ['a', 'b'],
      allowOrigins: ['http://o'],
      logLevel: 'info',
      limits: { leaseMs: 5000, completionAttemptsMax: 5 },
      tokensOutliveRuns: false,
      statePrompts: { context: false, summary: false },
      webhookAllow: ['10.0.0.0/8', '::1/128'],
    });
  });

  it('are the runner, the demo and the tokens too', async () => {
    const runner = await cli(['runner', '--exec', 'agent', '--tag', 'a', 'b'], {
      env: { COUNTERSIGN_TOKEN: 't' },
    });
    expect(runner.wired).toEqual([
      {
        name: 'runner',
        options: {
          url: 'http://127.0.0.1:4717',
          token: 't',
          execution: {
            executors: ['command'],
            exec: 'agent',
            agentModel: null,
            agentArgs: [],
            recordBy: 'tools',
          },
          hostname: hostname(),
          projectDir: resolve('.'),
          tags: ['a', 'b'],
          concurrentMax: 4,
          logLevel: 'info',
        },
      },
    ]);
    const agents = ['--executor', 'claude-code', 'command', '--exec', 'agent', '--agent-model', 'm'];
    const args = ['--agent-args', `--permission-mode acceptEdits --note "two words"`];
    expect((await cli(['runner', ...agents, ...args])).wired[0]?.options).toMatchObject({
      execution: {
        executors: ['claude-code', 'command'],
        exec: 'agent',
        agentModel: 'm',
        agentArgs: ['--permission-mode', 'acceptEdits', '--note', 'two words'],
      },
    });
    expect((await cli(['runner', '--executor', 'claude-code'])).code).toBe(0);
    // Named agents may bring their command lines.
    expect((await cli(['runner', '--executor', 'command'])).wired[0]?.options).toMatchObject({
      execution: { executors: ['command'], exec: '' },
    });
    const rest = [
      await cli(['demo', '--repo', 'x', '--keep']),
      await cli(['token', 'create', '--name', 'ci', '--role', 'reader']),
      await cli(['token', 'list', '--db', 'd', '--json']),
      await cli(['token', 'revoke', 'ci']),
    ];
    expect(rest.map(({ wired }) => wired[0])).toEqual([
      {
        name: 'demo',
        options: { repo: resolve('x'), workflow: false, verbose: false, keep: true, port: null },
      },
      { name: 'tokenCreate', options: { name: 'ci', role: 'reader', db: undefined, json: false } },
      { name: 'tokenList', options: { db: 'd', json: true } },
      { name: 'tokenRevoke', options: { db: undefined, json: false, token: 'ci' } },
    ]);
  });
});

describe('exit codes', () => {
  it('are there for every code of the service, and none is 0', () => {
    const known = new Set<number>(Object.values(EXIT));
    for (const code of Object.keys(ERRORS)) {
      const exit = exitCodeOf(code as keyof typeof ERRORS);
      expect(known.has(exit) && exit !== 0, code).toBe(true);
    }
  });
});
