import { mkdtempSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { fail, ok } from '../../src/domain/errors.js';
import { createCommandExecutor, createRunner, RunnerRefused } from '../../src/runner/index.js';
import type { Executor, Runner, RunnerOptions } from '../../src/runner/index.js';
import { claimedRun } from './claimed-run.js';
import { createFakeCoordinator } from './fake-coordinator.js';
import { until, untilGone } from './until.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-runner-'));
const fresh = () => join(mkdtempSync(join(dir, 'x-')), 'file');
const silent = { verbose: false, debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

const running: Runner[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((runner) => runner.stop('now')));
});

const command = (line: string) =>
  createCommandExecutor({ command: line, killGraceMs: 100, closeGraceMs: 50 });

function runnerOf(
  coordinator: ReturnType<typeof createFakeCoordinator>,
  executor: Executor,
  options: Partial<RunnerOptions> = {},
): Runner {
  const runner = createRunner({
    service: coordinator.service,
    url: 'http://127.0.0.1:4717',
    executors: { command: executor },
    hostname: 'here',
    projectDir: dir,
    tags: ['fast'],
    concurrentMax: 2,
    limits: DEFAULT_LIMITS,
    logger: silent,
    clock: { now: () => Date.now(), wall: () => Date.now() },
    drainMs: 5000,
    settleMs: 2000,
    backoff: { firstMs: 5, maxMs: 20 },
    ...options,
  });
  running.push(runner);
  return runner;
}

/** Runs until a file is there; says by another that it runs. */
function gate() {
  const open = fresh();
  const begun = fresh();
  return {
    line: `echo $$ > ${begun}; while [ ! -e ${open} ]; do sleep 0.01; done; echo done`,
    open: () => writeFileSync(open, ''),
    begun: () =>
      until(() => existsSync(begun) && readFileSync(begun, 'utf8').endsWith('\n'), 'the command runs'),
    pid: () => Number(readFileSync(begun, 'utf8')),
  };
}

describe('a runner', () => {
  it('says what it can do, and reports a run from its start to its end', async () => {
    const coordinator = createFakeCoordinator();
    await runnerOf(coordinator, command('cat; echo; echo "{\\"url\\":\\"$COUNTERSIGN_URL\\"}"')).start();
    coordinator.hand(claimedRun());
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    expect(coordinator.registrations).toEqual([
      { hostname: 'here', project_dir: dir, executor_types: ['command'], tags: ['fast'], max_concurrent: 2 },
    ]);
    const lease = { runner_id: 'rnr_1', attempt: 1, lease_token: 'lease-1' };
    expect(coordinator.reports).toEqual([
      {
        what: 'started',
        runId: 'run_1',
        body: {
          ...lease,
          executor_type: 'command',
          executor_session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      },
      {
        what: 'completed',
        runId: 'run_1',
        body: {
          ...lease,
          result_text: 'Do it.\n{"url":"http://127.0.0.1:4717"}',
          result_data: { url: 'http://127.0.0.1:4717' },
        },
      },
    ]);
  });

  it('keeps the lease of what it holds, and of nothing else', async () => {
    const coordinator = createFakeCoordinator();
    const { line, open, begun } = gate();
    await runnerOf(coordinator, command(line)).start();
    await until(() => coordinator.heartbeats.length > 0, 'a heartbeat');
    expect(coordinator.heartbeats[0]).toEqual({ runner_id: 'rnr_1', runs: [] });
    coordinator.hand(claimedRun({ attempt: 3, lease_token: 'lease-3' }));
    await begun();
    const held = [{ run_id: 'run_1', attempt: 3, lease_token: 'lease-3' }];
    await until(
      () => JSON.stringify(coordinator.heartbeats.at(-1)?.runs) === JSON.stringify(held),
      'its heartbeat',
    );
    open();
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    await until(() => coordinator.heartbeats.at(-1)?.runs.length === 0, 'an empty heartbeat');
  });

  it('repeats a heartbeat that is not answered within its interval', async () => {
    const coordinator = createFakeCoordinator();
    await runnerOf(coordinator, command('true')).start();
    coordinator.state.silent = true;
    await until(() => !coordinator.state.silent, 'a heartbeat without an answer');
    const before = coordinator.heartbeats.length;
    await until(() => coordinator.heartbeats.length > before, 'the next heartbeat');
  });

  it('executes no more runs at a time than it may, and asks for as many as it has room for', async () => {
    const coordinator = createFakeCoordinator();
    let now = 0;
    let most = 0;
    const executor: Executor = {
      async execute(_run, { onStarted }) {
        onStarted(null);
        most = Math.max(most, (now += 1));
        await new Promise((resolve) => setTimeout(resolve, 15));
        now -= 1;
        return { kind: 'completed', resultText: 'ok', resultData: null };
      },
    };
    coordinator.hand(...Array.from({ length: 7 }, (_, i) => claimedRun({ run_id: `run_${i}` })));
    await runnerOf(coordinator, executor).start();
    await until(() => coordinator.of('completed').length === 7, 'all ends are reported');
    expect(most).toBe(2);
    expect(new Set(coordinator.polls.map((poll) => poll.capacity))).toEqual(new Set([0, 1, 2]));
  });

  it('gives back what is handed out in excess', async () => {
    const coordinator = createFakeCoordinator();
    const { line, open } = gate();
    const over = { ...coordinator.service };
    let first = true;
    over.poll = (query, signal) => {
      const capacity = first ? 5 : query.capacity;
      first = false;
      return coordinator.service.poll({ ...query, capacity }, signal);
    };
    coordinator.hand(...['a', 'b', 'c'].map((run_id) => claimedRun({ run_id })));
    await runnerOf(coordinator, command(line), { service: over }).start();
    await until(() => coordinator.of('failed').length === 1, 'one is given back');
    expect(coordinator.of('failed')[0]).toMatchObject({
      runId: 'c',
      body: { cause: 'environment', error: 'the runner had no room for the run' },
    });
    open();
    await until(() => coordinator.of('completed').length === 2, 'the others end');
  });

  it('fails a run for its surroundings where it lacks the executor', async () => {
    const coordinator = createFakeCoordinator();
    await runnerOf(coordinator, command('true')).start();
    coordinator.hand(claimedRun({ executor_type: 'claude-code' }));
    await until(() => coordinator.of('failed').length === 1, 'the failure is reported');
    expect(coordinator.of('failed')[0]?.body).toMatchObject({ cause: 'environment' });
  });

  it('fails a run for its surroundings where the executor breaks', async () => {
    const coordinator = createFakeCoordinator();
    await runnerOf(coordinator, { execute: () => Promise.reject(new Error('bang')) }).start();
    coordinator.hand(claimedRun());
    await until(() => coordinator.of('failed').length === 1, 'the failure is reported');
    expect(coordinator.of('failed')[0]?.body).toMatchObject({
      cause: 'environment',
      error: expect.stringContaining('bang'),
    });
  });

  it('reports the end in short where the result itself is refused', async () => {
    const coordinator = createFakeCoordinator();
    coordinator.state.report = ({ body }) =>
      body.result_data?.bad ? fail('invalid_request', 'Not this member.') : null;
    const long = 'x'.repeat(100_000);
    await runnerOf(coordinator, command(`printf ${long}; echo; echo '{"bad":true}'`)).start();
    coordinator.hand(claimedRun());
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    const { body } = coordinator.of('completed')[0]!;
    expect(body.result_data).toBeNull();
    expect(body.result_text).toContain(long);
    expect(body.result_text).toMatch(
      /\[The result data was refused by the service: invalid_request: Not this member/,
    );
  });

  it('says why a value was refused as it is, and keeps the rest of the result', async () => {
    const coordinator = createFakeCoordinator();
    coordinator.state.report = ({ body }) =>
      body.state_value ? fail('invalid_request', '/state_value/a: is a name that no member may have') : null;
    const result = {
      kind: 'completed',
      resultText: 'text',
      resultData: { n: 1 },
      usage: { turns: 1 },
    } as const;
    const held: Executor = {
      execute: () => Promise.resolve({ ...result, stateValue: { a: 1 } }),
    };
    await runnerOf(coordinator, held).start();
    coordinator.hand(claimedRun({ contract: { pointer: '/results/0', schema: {} } }));
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    expect(coordinator.of('completed')[0]!.body).toMatchObject({
      result_text: 'text',
      result_data: { n: 1 },
      usage: { turns: 1 },
      state_value_refused:
        'was refused as it is (invalid_request): /results/0/a: is a name that no member may have',
    });
  });

  it('keeps the reason of a refused value where the rest is refused, too', async () => {
    const coordinator = createFakeCoordinator();
    coordinator.state.report = ({ body }) =>
      body.state_value || body.result_data ? fail('limit_exceeded', 'Too deep.') : null;
    const held: Executor = {
      execute: () =>
        Promise.resolve({ kind: 'completed', resultText: 'text', resultData: { n: 1 }, stateValue: [] }),
    };
    await runnerOf(coordinator, held).start();
    coordinator.hand(claimedRun());
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    expect(coordinator.of('completed')[0]!.body).toMatchObject({
      result_text: expect.stringContaining('refused by the service'),
      state_value_refused: 'was refused as it is (limit_exceeded): Too deep.',
    });
  });

  it('tells what was spent until it was stopped', async () => {
    const coordinator = createFakeCoordinator();
    const stopped: Executor = {
      execute: () =>
        Promise.resolve({ kind: 'stopped', resultText: 'text', resultData: null, usage: { turns: 2 } }),
    };
    await runnerOf(coordinator, stopped).start();
    coordinator.hand(claimedRun());
    await until(() => coordinator.of('stopped').length === 1, 'the end is reported');
    expect(coordinator.of('stopped')[0]!.body).toMatchObject({ usage: { turns: 2 } });
  });
});

describe('an ordered stop', () => {
  it('ends at once where the run is lost meanwhile', async () => {
    const coordinator = createFakeCoordinator();
    const heard: unknown[] = [];
    const slow: Executor = {
      execute: (_run, { signal, lost }) =>
        new Promise((resolve) => {
          coordinator.state.stop = ['run_1'];
          signal.addEventListener('abort', () => {
            heard.push(signal.reason);
            coordinator.state.lost = ['run_1'];
          });
          lost.addEventListener('abort', () => {
            heard.push('lost');
            resolve({ kind: 'stopped', resultText: null, resultData: null });
          });
        }),
    };
    const runner = runnerOf(coordinator, slow);
    await runner.start();
    coordinator.hand(claimedRun());
    await until(() => heard.length === 2, 'both are heard');
    await runner.stop('drain');
    expect(heard).toEqual(['stop', 'lost']);
    expect(coordinator.of('stopped')).toEqual([]);
  });

  it('ends the run and reports its output so far', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, pid } = gate();
    await runnerOf(coordinator, command(`echo so far; ${line}`)).start();
    coordinator.hand(claimedRun());
    await begun();
    coordinator.state.stop = ['run_1', 'run_unknown'];
    await until(() => coordinator.of('stopped').length === 1, 'the stop is reported');
    expect(coordinator.of('stopped')[0]?.body).toMatchObject({
      result_text: 'so far',
      lease_token: 'lease-1',
    });
    await untilGone(pid());
  });

  it('does not make the runner poll without a pause', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun } = gate();
    const executor = createCommandExecutor({ command: `trap "" TERM; ${line}`, killGraceMs: 300 });
    await runnerOf(coordinator, executor).start();
    coordinator.hand(claimedRun());
    await begun();
    const before = coordinator.polls.length;
    coordinator.state.stop = ['run_1'];
    await until(() => coordinator.of('stopped').length === 1, 'the stop is reported');
    expect(coordinator.polls.length - before).toBeLessThan(6);
  });
});

describe('a lost run', () => {
  it('is killed and not reported when a heartbeat says so', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, pid } = gate();
    await runnerOf(coordinator, command(line)).start();
    coordinator.hand(claimedRun());
    await begun();
    await until(() => coordinator.of('started').length === 1, 'the start is reported');
    coordinator.state.lost = ['run_1'];
    await untilGone(pid());
    await until(() => coordinator.heartbeats.at(-1)?.runs.length === 0, 'it is not held any more');
    expect(coordinator.reports.map(({ what }) => what)).toEqual(['started']);
  });

  it('is killed and not reported again when a report says so', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, pid } = gate();
    let answer = fail('overloaded', 'Later.');
    coordinator.state.report = () => answer;
    await runnerOf(coordinator, command(line)).start();
    coordinator.hand(claimedRun());
    await begun();
    answer = fail('lease_lost', 'Held by another.');
    await untilGone(pid());
    await until(() => coordinator.heartbeats.at(-1)?.runs.length === 0, 'it is not held any more');
    expect(coordinator.reports).toEqual([]);
  });

  it('that comes back under a new attempt begins when the old process is gone', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, pid, open } = gate();
    await runnerOf(coordinator, command(line)).start();
    coordinator.hand(claimedRun());
    await begun();
    const old = pid();
    coordinator.hand(claimedRun({ attempt: 2, lease_token: 'lease-2' }));
    await untilGone(old);
    open();
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    expect(coordinator.of('completed')[0]?.body).toMatchObject({ attempt: 2, lease_token: 'lease-2' });
  });
});

describe('a coordinator that is away', () => {
  it('gets the report of what ended meanwhile when it is back', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, open, pid } = gate();
    await runnerOf(coordinator, command(line)).start();
    coordinator.hand(claimedRun());
    await begun();
    await until(() => coordinator.of('started').length === 1, 'the start is reported');
    coordinator.state.away = true;
    open();
    await untilGone(pid());
    const { requests } = coordinator.state;
    await until(() => coordinator.state.requests > requests + 10, 'it is tried again and again');
    coordinator.state.away = false;
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    expect(coordinator.of('completed')[0]?.body).toMatchObject({ result_text: 'done' });
    coordinator.hand(claimedRun({ run_id: 'run_2' }));
    await until(() => coordinator.of('completed').length === 2, 'the runner goes on');
  });

  it('is asked again no later than a sign of life is due, however long it is away', async () => {
    const coordinator = createFakeCoordinator({ heartbeatMs: 10 });
    await runnerOf(coordinator, command('true'), { backoff: { firstMs: 5, maxMs: 60_000 } }).start();
    coordinator.state.away = true;
    const { requests } = coordinator.state;
    await until(() => coordinator.state.requests > requests + 60, 'waits do not grow without bound');
  });

  it('is waited for at the start', async () => {
    const coordinator = createFakeCoordinator();
    coordinator.state.away = true;
    const started = runnerOf(coordinator, command('true')).start();
    await until(() => coordinator.state.requests > 3, 'it is tried again');
    coordinator.state.away = false;
    await started;
    expect(coordinator.registrations).toHaveLength(1);
  });

  it('does not keep a start from being stopped', async () => {
    const coordinator = createFakeCoordinator();
    coordinator.state.away = true;
    const runner = runnerOf(coordinator, command('true'));
    const started = runner.start();
    await runner.stop('drain');
    await started;
    expect(coordinator.registrations).toEqual([]);
  });

  it('that has forgotten the runner gets a new registration, once, and the report', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, open } = gate();
    await runnerOf(coordinator, command(line)).start();
    coordinator.hand(claimedRun());
    await begun();
    await until(() => coordinator.of('started').length === 1, 'the start is reported');
    coordinator.state.runnerId = 'none of them';
    open();
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
    expect(coordinator.registrations).toHaveLength(2);
    expect(coordinator.of('completed')[0]?.body).toMatchObject({ runner_id: 'rnr_2' });
  });
});

describe('an answer that is not understood', () => {
  const warned = (warn: ReturnType<typeof vi.fn>, what: string) =>
    warn.mock.calls.filter(([facts, message]) => facts.what === what && message.includes('is not understood'))
      .length;

  it.each([
    [{ runs: [null], stop_runs: [] }],
    [{ runs: {}, stop_runs: [] }],
    [{ runs: [], stop_runs: null }],
  ])('to a poll is repeated after a pause: %j', async (body) => {
    const coordinator = createFakeCoordinator();
    const warn = vi.fn();
    let foreign = 3;
    const service = { ...coordinator.service };
    service.poll = (query, signal) => {
      foreign -= 1;
      const answer: any = body;
      return foreign < 0 ? coordinator.service.poll(query, signal) : Promise.resolve(ok(answer));
    };
    const options = { service, logger: { ...silent, warn } };
    await runnerOf(coordinator, command('true'), options).start();
    coordinator.hand(claimedRun());
    await until(() => coordinator.of('completed').length === 1, 'a run is taken all the same');
    expect(warned(warn, 'poll')).toBe(3);
    expect(warn.mock.calls.map(([facts]) => facts.failures)).toEqual([1, 2, 3]);
  });

  it('to a heartbeat does not end the heartbeats', async () => {
    const coordinator = createFakeCoordinator();
    const warn = vi.fn();
    const { line, open, begun } = gate();
    const service = { ...coordinator.service };
    let foreign = false;
    service.heartbeat = (body, signal) => {
      const answer: any = { lost: null, stop_runs: [] };
      return foreign ? Promise.resolve(ok(answer)) : coordinator.service.heartbeat(body, signal);
    };
    await runnerOf(coordinator, command(line), { service, logger: { ...silent, warn } }).start();
    coordinator.hand(claimedRun());
    await begun();
    foreign = true;
    await until(() => warned(warn, 'heartbeat') > 1, 'two warnings');
    foreign = false;
    const before = coordinator.heartbeats.length;
    await until(() => coordinator.heartbeats.length > before, 'the next heartbeat');
    open();
    await until(() => coordinator.of('completed').length === 1, 'the end is reported');
  });

  it('does not keep a runner from being stopped', async () => {
    const coordinator = createFakeCoordinator();
    const warn = vi.fn();
    const answer: any = { runs: [null], stop_runs: [] };
    const service = { ...coordinator.service, poll: () => Promise.resolve(ok(answer)) };
    const backoff = { firstMs: 60_000, maxMs: 60_000 };
    const runner = runnerOf(coordinator, command('true'), { service, backoff, logger: { ...silent, warn } });
    await runner.start();
    await until(() => warned(warn, 'poll') === 1, 'a warning');
    await runner.stop('drain');
    expect(warned(warn, 'poll')).toBe(1);
  });
});

describe('a registration that is refused', () => {
  it('ends the start', async () => {
    const coordinator = createFakeCoordinator();
    coordinator.state.registration = fail('unauthorized', 'Show a token.');
    const start = runnerOf(coordinator, command('true')).start();
    await expect(start).rejects.toThrow(RunnerRefused);
    await expect(start).rejects.toThrow('The caller is not authenticated: Show a token.');
  });
});

describe('a shutdown', () => {
  it('lets runs end within its bound, and claims nothing more', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, open } = gate();
    const runner = runnerOf(coordinator, command(line));
    await runner.start();
    coordinator.hand(claimedRun());
    await begun();
    const stopped = runner.stop('drain');
    coordinator.hand(claimedRun({ run_id: 'run_2' }));
    open();
    await stopped;
    expect(coordinator.of('completed').map(({ runId }) => runId)).toEqual(['run_1']);
    expect(coordinator.queued()).toBe(1);
    const { requests } = coordinator.state;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(coordinator.state.requests).toBe(requests);
  });

  it('stops what does not end, and gives it back', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, pid } = gate();
    const runner = runnerOf(coordinator, command(`echo so far; ${line}`), { drainMs: 30 });
    await runner.start();
    coordinator.hand(claimedRun());
    await begun();
    await runner.stop('drain');
    await untilGone(pid());
    expect(coordinator.of('failed')[0]?.body).toMatchObject({
      cause: 'environment',
      error: 'the runner was shut down',
      result_text: 'so far',
    });
  });

  it('is cut short by a second order', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun } = gate();
    const runner = runnerOf(coordinator, command(line), { drainMs: 60_000 });
    await runner.start();
    coordinator.hand(claimedRun());
    await begun();
    const drained = runner.stop('drain');
    await runner.stop('now');
    await drained;
    expect(coordinator.of('failed')).toHaveLength(1);
  });

  it('does not wait for ever for a coordinator that is away', async () => {
    const coordinator = createFakeCoordinator();
    const { line, begun, pid } = gate();
    const runner = runnerOf(coordinator, command(line), { settleMs: 300 });
    await runner.start();
    coordinator.hand(claimedRun());
    await begun();
    coordinator.state.away = true;
    await runner.stop('now');
    await untilGone(pid());
    const { requests } = coordinator.state;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(coordinator.state.requests).toBe(requests);
  });
});
