import { mkdtempSync, readFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import type { RunAgent } from '../../../src/runner/run-agent.js';
import { createCommandExecutor, type CommandExecutorOptions } from '../../../src/runner/index.js';
import { claimedRun } from '../claimed-run.js';
import { until, untilGone } from '../until.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-command-'));
const fresh = () => join(mkdtempSync(join(dir, 'x-')), 'file');

function begin(
  command: string,
  members: Partial<ClaimedRun> = {},
  options: Partial<CommandExecutorOptions> = {},
  projectDir = dir,
) {
  const ending = new AbortController();
  const losing = new AbortController();
  const started: (string | null)[] = [];
  const executor = createCommandExecutor({ command, killGraceMs: 150, closeGraceMs: 100, ...options });
  const run = claimedRun(members);
  const result = executor.execute(run, {
    environment: { ...run.environment, COUNTERSIGN_URL: 'http://service' },
    projectDir,
    signal: ending.signal,
    lost: losing.signal,
    onStarted: (id) => started.push(id),
  });
  return { result, ending, losing, started };
}

/** A command line that runs a script on Node. */
const node = (script: string) => `node -e '${script.replaceAll("'", "'\\''")}'`;

const execute = (...args: Parameters<typeof begin>) => begin(...args).result;

describe('a command', () => {
  it('gets the prompt on standard input and works in the directory of the run', async () => {
    const result = await execute('cat; printf "|"; pwd', { prompt: 'Grüße,\nwhat is to be done' });
    expect(result).toMatchObject({ kind: 'completed', resultText: `Grüße,\nwhat is to be done|${dir}` });
  });

  it('need not read its prompt, however long', async () => {
    const result = await execute('exec 0<&-; sleep 0.05; echo done', { prompt: 'x'.repeat(200_000) });
    expect(result).toMatchObject({ kind: 'completed', resultText: 'done' });
  });

  it('finds its context in the environment, and nothing of the runner', async () => {
    process.env['COUNTERSIGN_TOKEN'] = 'secret of the runner';
    process.env['AGENT_SESSION_ID'] = 'ses_outer';
    try {
      const { result, started } = begin('env', {
        environment: { AGENT_SESSION_NAME: 'child', WORKFLOW_STATE_ID: 'sta_1' },
      });
      const { resultText } = await result;
      expect(resultText).toContain('AGENT_SESSION_NAME=child\n');
      expect(resultText).toContain('WORKFLOW_STATE_ID=sta_1');
      expect(resultText).toContain('COUNTERSIGN_URL=http://service');
      expect(resultText).toContain('COUNTERSIGN_RUN_ID=run_1');
      expect(resultText).toContain('COUNTERSIGN_RUN_PURPOSE=work');
      expect(started).toHaveLength(1);
      expect(resultText).toContain(`COUNTERSIGN_EXECUTOR_SESSION_ID=${started[0] ?? ''}`);
      expect(resultText).not.toContain('COUNTERSIGN_RESUME');
      expect(resultText).not.toContain('secret of the runner');
      expect(resultText).not.toContain('ses_outer');
    } finally {
      delete process.env['COUNTERSIGN_TOKEN'];
      delete process.env['AGENT_SESSION_ID'];
    }
  });

  it('is told on a resume which conversation goes on', async () => {
    const { result, started } = begin('echo "$COUNTERSIGN_RESUME $COUNTERSIGN_EXECUTOR_SESSION_ID"', {
      type: 'resume_session',
      executor_session_id: 'conv-7',
    });
    expect(await result).toMatchObject({ resultText: '1 conv-7' });
    expect(started).toEqual(['conv-7']);
  });
});

describe('a result', () => {
  it('has data where its last line is a JSON object, and keeps it in the text', async () => {
    const result = await execute(`printf 'All is well.\\n{"tasks": 3}\\n\\n'`);
    expect(result).toEqual({
      kind: 'completed',
      resultText: 'All is well.\n{"tasks": 3}',
      resultData: { tasks: 3 },
    });
  });

  it.each([
    ['a list', 'echo "[1]"'],
    ['no JSON', 'echo "{tasks}"'],
    ['too deep', node(`console.log('{"a":'.repeat(100) + '1' + '}'.repeat(100))`)],
    ['nothing', 'true'],
  ])('has none where the last line is %s', async (_name, command) => {
    expect(await execute(command)).toMatchObject({ kind: 'completed', resultData: null });
  });

  it('keeps its head and tail within the bound, and says how much was cut', async () => {
    const script = `process.stdout.write('HEAD' + 'ä'.repeat(50000) + 'TAIL\\n{"n":1}')`;
    const result = await execute(node(script), {}, { outputBytesMax: 2000 });
    const text = result.resultText ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
    expect(text).toMatch(/^HEADä+\n\[… [\d,]+ bytes cut …\]\nä+TAIL\n\{"n":1\}$/);
    expect(result.resultData).toEqual({ n: 1 });
  });

  it('stays within the bound where bytes that are not UTF-8 grow', async () => {
    const script = 'process.stdout.write(Buffer.alloc(5000, 0xff))';
    const result = await execute(node(script), {}, { outputBytesMax: 6000 });
    expect(Buffer.byteLength(result.resultText ?? '')).toBeLessThanOrEqual(6000);
  });
});

describe('a failure', () => {
  it.each([
    ['exit 3', 'agent', 'The command exited with code 3: what went wrong'],
    ['exit 75', 'environment', 'The command exited with code 75: what went wrong'],
    ['kill -SEGV $$', 'agent', 'The command was ended by SIGSEGV: what went wrong'],
    ['kill -KILL $$', 'environment', 'The command was ended by SIGKILL: what went wrong'],
    // What a shell exits with once a signal has ended its command.
    ['exit 137', 'environment', 'The command was ended by SIGKILL: what went wrong'],
    ['exit 143', 'environment', 'The command was ended by SIGTERM: what went wrong'],
    ['exit 139', 'agent', 'The command was ended by SIGSEGV: what went wrong'],
    ['exit 255', 'agent', 'The command exited with code 255: what went wrong'],
  ])('%s is of the %s', async (end, cause, error) => {
    const result = await execute(`echo partly; echo what went wrong >&2; ${end}`);
    expect(result).toEqual({ kind: 'failed', cause, error, resultText: 'partly', resultData: null });
  });

  it.each([
    ['is not found', 'no-such-program-here'],
    ['cannot be executed', '/etc/passwd'],
  ])('of a program that %s is of the configuration', async (_name, command) => {
    expect(await execute(command)).toMatchObject({ kind: 'failed', cause: 'configuration' });
  });

  it('to start names the directory that is missing', async () => {
    const { result, started } = begin('true', {}, {}, join(dir, 'nowhere'));
    expect(await result).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      error: expect.stringContaining(`there is no directory ${join(dir, 'nowhere')}`),
    });
    expect(started).toEqual([]);
  });

  it('to start with an environment that no process can have is of the configuration', async () => {
    const result = await execute('true', { environment: { BAD: 'a\0b' } });
    expect(result).toMatchObject({ kind: 'failed', cause: 'configuration' });
  });

  it('keeps only the tail of what was said on standard error', async () => {
    const result = await execute(node('console.error("x".repeat(100000) + "THE END"); process.exitCode = 1'));
    if (result.kind !== 'failed') throw new Error(result.kind);
    expect(result.error.length).toBeLessThan(5000);
    expect(result.error).toMatch(/THE END$/);
  });
});

describe('an end from outside', () => {
  it('lets the command go on SIGTERM and keeps its output', async () => {
    const ready = fresh();
    const { result, ending } = begin(
      `trap 'echo bye; exit 0' TERM; echo so far; touch ${ready}; while :; do sleep 0.01; done`,
      {},
      { killGraceMs: 60_000 },
    );
    await until(() => existsSync(ready), 'the command runs');
    ending.abort('stop');
    expect(await result).toMatchObject({ kind: 'stopped', resultText: 'so far\nbye' });
  });

  it('kills the whole group where a grandchild ignores SIGTERM', async () => {
    const pidFile = fresh();
    const grandchild = `trap "" TERM; echo $$ > ${pidFile}; while :; do sleep 0.01; done`;
    const { result, ending } = begin(`sh -c '${grandchild}' & wait`, {}, { killGraceMs: 100 });
    await until(
      () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'),
      'the grandchild runs',
    );
    ending.abort('stop');
    expect(await result).toMatchObject({ kind: 'stopped' });
    await untilGone(Number(readFileSync(pidFile, 'utf8')));
  });

  it('spares no time for a run that is lost', async () => {
    const ready = fresh();
    const said = fresh();
    const { result, ending, losing } = begin(
      `trap 'touch ${said}' TERM; touch ${ready}; while :; do sleep 0.01; done`,
      {},
      { killGraceMs: 60_000 },
    );
    await until(() => existsSync(ready), 'the command runs');
    losing.abort();
    ending.abort('lost');
    expect(await result).toMatchObject({ kind: 'stopped' });
    expect(existsSync(said)).toBe(false);
  });

  it('spares no more time for a run that is lost while it is being stopped', async () => {
    const ready = fresh();
    const said = fresh();
    const { result, ending, losing } = begin(
      `trap 'touch ${said}' TERM; touch ${ready}; while :; do sleep 0.01; done`,
      {},
      { killGraceMs: 600_000 },
    );
    await until(() => existsSync(ready), 'the command runs');
    ending.abort('stop');
    await until(() => existsSync(said), 'the command is asked to end');
    losing.abort();
    expect(await result).toMatchObject({ kind: 'stopped' });
  });

  it('spares no time for what a lost run leaves behind', async () => {
    const pidFile = fresh();
    const { result, ending, losing } = begin(
      `sleep 60 & echo $! > ${pidFile}; echo done`,
      {},
      { closeGraceMs: 600_000 },
    );
    await until(() => existsSync(pidFile), 'the command has ended');
    losing.abort();
    ending.abort('lost');
    await result;
    await untilGone(Number(readFileSync(pidFile, 'utf8')));
  });

  it('needs no coordinator when the time of the run is up', async () => {
    const result = await execute('echo begun; exec sleep 60', { timeout_ms: 100 }, { timeoutSlackMs: 50 });
    expect(result).toEqual({
      kind: 'failed',
      cause: 'agent',
      error: 'timed out',
      resultText: 'begun',
      resultData: null,
    });
  });
});

describe('what a command leaves behind', () => {
  it('is killed when it holds the output', async () => {
    const pidFile = fresh();
    const result = await execute(`sleep 60 & echo $! > ${pidFile}; echo done`);
    expect(result).toMatchObject({ kind: 'completed', resultText: 'done' });
    await untilGone(Number(readFileSync(pidFile, 'utf8')));
  });

  it('is killed when it does not', async () => {
    const pidFile = fresh();
    const result = await execute(`sleep 60 >/dev/null 2>&1 & echo $! > ${pidFile}; echo done`);
    expect(result).toMatchObject({ kind: 'completed' });
    await untilGone(Number(readFileSync(pidFile, 'utf8')));
  });

  it('is not waited for when it has left the group', async () => {
    const pidFile = fresh();
    const script = `require("child_process").spawn("sh", ["-c", "echo $$ > ${pidFile}; exec sleep 60"], {detached: true, stdio: "inherit"}).unref(); setTimeout(() => console.log("done"), 200)`;
    const result = await execute(node(script));
    expect(result).toMatchObject({ kind: 'completed', resultText: 'done' });
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  });

  it('dies with the runner, however that exits', async () => {
    const pidFile = fresh();
    const before = process.listeners('exit');
    const { result } = begin(`echo $$ > ${pidFile}; exec sleep 60`);
    await until(
      () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'),
      'the command runs',
    );
    const atExit = process.listeners('exit').filter((listener) => !before.includes(listener));
    expect(atExit).toHaveLength(1);
    atExit[0]?.call(process, 0);
    await untilGone(Number(readFileSync(pidFile, 'utf8')));
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
  });

  it('is no listener on the process', async () => {
    const before = process.listenerCount('exit');
    await Promise.all([execute('true'), execute('true')]);
    expect(process.listenerCount('exit')).toBe(before);
  });
});

describe('a named agent', () => {
  const agent = { name: 'a', command: null, args: [], model: null, systemPrompt: null, mcpServers: {} };
  const run = (command: string, own: Partial<RunAgent>) =>
    createCommandExecutor({ command }).execute(claimedRun(), {
      environment: {},
      projectDir: tmpdir(),
      agent: { ...agent, ...own },
      signal: new AbortController().signal,
      lost: new AbortController().signal,
      onStarted: () => undefined,
    });

  it('brings its own command, model and prompt', async () => {
    const said = await run('echo no', {
      command: 'echo "$COUNTERSIGN_MODEL $COUNTERSIGN_SYSTEM_PROMPT [$COUNTERSIGN_MCP_SERVERS]"',
      model: 'large',
      systemPrompt: 'Be brief.',
    });
    expect(said).toMatchObject({ kind: 'completed', resultText: 'large Be brief. []' });
  });

  it('without one is run by that of the runner', async () => {
    expect(await run('echo yes', {})).toMatchObject({ kind: 'completed', resultText: 'yes' });
  });

  it('cannot be run where neither has one', async () => {
    expect(await run('', {})).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      error: expect.stringContaining('neither the agent nor the runner (--exec) names one') as string,
    });
  });
});
