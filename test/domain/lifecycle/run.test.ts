// The table of moves, and what each move leaves of a run.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { Demands, Run, RunStatus } from '../../../src/domain/records/records.js';
import {
  RUN_TRANSITIONS,
  claimed,
  ended,
  fits,
  hasEnded,
  holdsLease,
  isNextInQueue,
  isUnderWay,
  leaseExtended,
  newRun,
  requeued,
  started,
  stillStopping,
  stopping,
  timeoutAtOf,
} from '../../../src/domain/lifecycle/run.js';
import { aRun, aSession, demands, NOW } from '../../store/records.js';

const LIMITS = DEFAULT_LIMITS;
const session = aSession();
const STATUSES = Object.keys(RUN_TRANSITIONS) as RunStatus[];
const run = (over: Partial<Run> = {}) => aRun(session, 'run_1', over);

const MOVES = {
  claimed: (one: Run) => claimed(one, 'rnr_1', 'hash', NOW, LIMITS),
  running: (one: Run) => started(one, NOW),
  pending: (one: Run) => requeued(one, 'lost', 0, NOW, LIMITS),
  stopping: (one: Run) => stopping(one, 'requested'),
  completed: (one: Run) => ended(one, { status: 'completed', error: null, cause: null }, NOW),
  failed: (one: Run) => ended(one, { status: 'failed', error: 'e', cause: 'agent' }, NOW),
  stopped: (one: Run) => ended(one, { status: 'stopped', error: null, cause: null }, NOW),
  timed_out: (one: Run) => ended(one, { status: 'timed_out', error: null, cause: null }, NOW),
} as const satisfies Record<RunStatus, (run: Run) => Run>;

const ALLOWED: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['claimed', 'failed', 'stopped'],
  claimed: ['running', 'pending', 'stopping', 'completed', 'failed', 'stopped', 'timed_out'],
  running: ['pending', 'stopping', 'completed', 'failed', 'stopped', 'timed_out'],
  stopping: ['pending', 'completed', 'failed', 'stopped', 'timed_out'],
  completed: [],
  failed: [],
  stopped: [],
  timed_out: [],
};

describe('a run', () => {
  const moves = STATUSES.flatMap((from) =>
    STATUSES.map((to) => ({ from, to, allowed: ALLOWED[from].includes(to) })),
  );
  it.each(moves)('that is $from becomes $to: $allowed', ({ from, to, allowed }) => {
    const move = () => MOVES[to](run({ status: from }));
    if (allowed) expect(move().status).toBe(to);
    else expect(move).toThrow(`a run that is ${from} cannot become ${to}`);
  });

  it('is over in four ways, and in the hands of a runner in three', () => {
    expect(STATUSES.filter((status) => hasEnded(run({ status })))).toEqual([
      'completed',
      'failed',
      'stopped',
      'timed_out',
    ]);
    expect(STATUSES.filter((status) => isUnderWay(run({ status })))).toEqual([
      'claimed',
      'running',
      'stopping',
    ]);
  });

  it('gets a new attempt and lease with every claim', () => {
    const first = claimed(run(), 'rnr_1', 'hash-1', NOW, LIMITS);
    expect(first).toMatchObject({
      attempt: 1,
      leaseHash: 'hash-1',
      runnerId: 'rnr_1',
      leaseExpiresAt: NOW + LIMITS.leaseMs,
      dueAt: NOW + LIMITS.leaseMs,
    });
    const second = claimed(requeued(first, 'lost', 0, NOW + 5, LIMITS), 'rnr_2', 'hash-2', NOW + 9, LIMITS);
    expect(second).toMatchObject({ attempt: 2, leaseHash: 'hash-2', runnerId: 'rnr_2', claimedAt: NOW + 9 });
  });

  it.each([
    ['whoever claimed it', {}, true],
    ['another runner', { runnerId: 'rnr_2' }, false],
    ['an earlier attempt', { attempt: 0 }, false],
    ['another lease', { leaseHash: 'other' }, false],
  ])('is held by %s: %s %s', (_who, over, holds) => {
    const held = claimed(run(), 'rnr_1', 'hash', NOW, LIMITS);
    expect(holdsLease(held, { runnerId: 'rnr_1', attempt: 1, leaseHash: 'hash', ...over })).toBe(holds);
  });

  it('is held by nobody where it is pending, whatever else an edit of the database has left in it', () => {
    const edited = { ...claimed(run(), 'rnr_1', 'hash', NOW, LIMITS), status: 'pending' } as const;
    expect(holdsLease(edited, { runnerId: 'rnr_1', attempt: 1, leaseHash: 'hash' })).toBe(false);
  });

  it('is known again by its last holder when it has ended', () => {
    const over = MOVES.completed(claimed(run(), 'rnr_1', 'hash', NOW, LIMITS));
    expect(holdsLease(over, { runnerId: 'rnr_1', attempt: 1, leaseHash: 'hash' })).toBe(true);
    expect(over).toMatchObject({ leaseExpiresAt: null, dueAt: null, completedAt: NOW });
  });

  it('is looked at when its lease ends, or its time where that comes first', () => {
    const held = claimed(run({ timeoutMs: 100 }), 'rnr_1', 'hash', NOW, LIMITS);
    expect(timeoutAtOf(held)).toBeNull();
    expect(leaseExtended(held, NOW + 50, LIMITS).dueAt).toBe(NOW + 50 + LIMITS.leaseMs);
    const running = started(held, NOW + 10);
    expect(running.dueAt).toBe(NOW + 110);
    expect(leaseExtended(running, NOW + 50, LIMITS).dueAt).toBe(NOW + 110);
    expect(started(claimed(run(), 'rnr_1', 'hash', NOW, LIMITS), NOW + 10).dueAt).toBe(NOW + LIMITS.leaseMs);
    expect(stopping(running, 'timeout')).toMatchObject({
      stopReason: 'timeout',
      dueAt: NOW + LIMITS.leaseMs,
    });
  });

  it('that is to stop keeps the time for it, whatever signs of life its runner gives', () => {
    const found = stopping(claimed(run(), 'rnr_1', 'hash', NOW, LIMITS), 'timeout');
    expect(stillStopping(found, NOW + 50, LIMITS)).toMatchObject({
      leaseExpiresAt: NOW + 50 + LIMITS.leaseMs,
      dueAt: NOW + LIMITS.leaseMs,
    });
    expect(requeued(found, 'lost', 0, NOW, LIMITS)).toMatchObject({ status: 'pending', stopReason: null });
  });

  it('waits anew when it is given back, with its attempts counted', () => {
    const back = requeued(
      started(claimed(run(), 'rnr_1', 'hash', NOW, LIMITS), NOW),
      'lost',
      70,
      NOW + 1,
      LIMITS,
    );
    expect(back).toMatchObject({
      status: 'pending',
      attempt: 1,
      runnerId: null,
      leaseExpiresAt: null,
      startedAt: null,
      availableAt: NOW + 71,
      dueAt: NOW + 71 + LIMITS.runUnclaimedMs,
      cause: 'environment',
    });
  });

  it('keeps what it used where its end says nothing of it', () => {
    const used = run({ status: 'running', usage: { tokens: 5 } });
    expect(MOVES.completed(used).usage).toEqual({ tokens: 5 });
    expect(ended(used, { status: 'completed', error: null, cause: null, usage: 7 }, NOW).usage).toBe(7);
  });

  const NEW = {
    runId: 'run_1',
    type: 'resume_session',
    purpose: 'work',
    generation: 1,
    prompt: 'p',
    timeoutMs: null,
    delayMs: 40,
    metadata: {},
  } as const;

  it('is available after its delay, and fails for lack of a runner some time after that', () => {
    expect(newRun({ ...NEW, session }, NOW, LIMITS)).toMatchObject({
      status: 'pending',
      attempt: 0,
      availableAt: NOW + 40,
      dueAt: NOW + 40 + LIMITS.runUnclaimedMs,
    });
  });

  it.each<[string, Partial<Demands> | undefined, Demands]>([
    ['nothing', undefined, { hostname: 'host-b', executorType: 'claude', tags: ['gpu'] }],
    ['tags', { tags: ['big'] }, { hostname: 'host-b', executorType: 'claude', tags: ['big'] }],
    [
      'a host',
      { hostname: 'host-c', tags: ['gpu'] },
      { hostname: 'host-c', executorType: 'claude', tags: ['gpu'] },
    ],
  ])('that asks for %s is resumed where, and by what, its session ran', (_what, asked, expected) => {
    const ran = aSession({ hostname: 'host-b', executorType: 'claude', demands: demands({ tags: ['gpu'] }) });
    const made = newRun(
      { ...NEW, session: ran, demands: asked === undefined ? undefined : demands(asked) },
      NOW,
      LIMITS,
    );
    expect(made.demands).toEqual(expected);
  });
});

describe('demands', () => {
  const runner = { hostname: 'h', executorTypes: ['command', 'claude'], tags: ['a', 'b'] };
  it.each<[Partial<Demands>, boolean]>([
    [{}, true],
    [{ hostname: 'h' }, true],
    [{ hostname: 'other' }, false],
    [{ executorType: 'claude' }, true],
    [{ executorType: 'codex' }, false],
    [{ tags: ['a'] }, true],
    [{ tags: ['b', 'a'] }, true],
    [{ tags: ['a', 'c'] }, false],
    [{ hostname: 'h', executorType: 'command', tags: ['b'] }, true],
    [{ hostname: 'h', executorType: 'codex', tags: ['b'] }, false],
  ])('%j fit the runner: %s', (over, fit) => {
    expect(fits(demands(over), runner)).toBe(fit);
  });
});

describe('the line of a session', () => {
  const work = (runId: string, over: Partial<Run> = {}) => aRun(session, runId, over);
  const update = work('u', { purpose: 'state_update' });
  it.each<[string, readonly Run[], string | null]>([
    ['the oldest', [work('a'), work('b')], 'a'],
    ['a state update before older work', [work('a'), update], 'u'],
    ['nothing while one is under way', [work('a', { status: 'running' }), work('b')], null],
    ['nothing while one is being stopped', [work('a', { status: 'stopping' }), update], null],
    ['nothing of a piece of work that has not begun', [work('a', { generation: 2 })], null],
    ['what has begun before what has not', [work('a', { generation: 2 }), work('b')], 'b'],
  ])('gives out %s', (_what, runs, first) => {
    expect(runs.filter((run) => isNextInQueue(run, 1, runs)).map((run) => run.runId)).toEqual(
      first === null ? [] : [first],
    );
  });
});
