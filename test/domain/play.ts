// Random lives of a whole tree: what may be done to it, drawn as commands, and how one command is carried out.
import fc from 'fast-check';
import { acknowledge, redeliver } from '../../src/domain/callbacks/operate.js';
import { pullCallbacks } from '../../src/domain/callbacks/pull.js';
import { retryCompletion, skipCompletion } from '../../src/domain/sessions/operate.js';
import { setAside } from '../../src/domain/scheduling/set-aside.js';
import type { Delivery } from '../../src/domain/records/records.js';
import { sessionReported, type SessionReport } from '../../src/domain/sessions/external.js';
import { deleteSession } from '../../src/domain/sessions/end.js';
import { deleteWithState } from '../../src/domain/states/create.js';
import { stopRun, stopSession } from '../../src/domain/runs/work.js';
import { attemptDone, claimDelivery } from '../../src/domain/webhooks/deliver.js';
import { completionSettings } from '../store/records.js';
import { contractAt, World, type HeldRun } from './world.js';

export const NAMES = ['root', 'a', 'b', 'a1', 'a2', 'x'] as const;
const PARENTS: Readonly<Record<string, string | null>> = {
  root: null,
  a: 'root',
  b: 'root',
  a1: 'a',
  a2: 'a',
  x: 'root',
};

/** Names are drawn as numbers, so that shrinking leads to the root. */
const name = fc.constantFrom(...NAMES);
const pick = fc.nat(7);

export const command = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('begin' as const),
      name,
      then: fc.constantFrom(
        'complete' as const,
        'complete' as const,
        'write' as const,
        'agent' as const,
        'go_on' as const,
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('claim' as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('start' as const), pick }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('complete' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      pick,
      cause: fc.constantFrom(
        'agent' as const,
        'environment' as const,
        'rate_limit' as const,
        'configuration' as const,
        'prompt_too_long' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('report_stopped' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('heartbeat' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('work' as const), name, callback: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('write' as const), name, value: fc.integer({ min: -1, max: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('stop' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop_run' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('skip' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('retry' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), name, state: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('external' as const),
      say: fc.constantFrom(
        'session_start' as const,
        'session_stop' as const,
        'session_stop' as const,
        'heartbeat' as const,
        'session_end' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send' as const), taken: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('put_aside' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pull' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redeliver' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop_state' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give_state' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), name }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 5_000, 20_000, 40_000, 130_000, 1_000_000),
    }),
  },
);
export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

export const setup = fc.record({
  modes: fc.array(fc.constantFrom('always' as const, 'unless_satisfied' as const, 'never' as const), {
    minLength: NAMES.length,
    maxLength: NAMES.length,
  }),
  contracts: fc.boolean(),
  state: fc.boolean(),
  /** How the root takes its callbacks. */
  rootTakes: fc.constantFrom('resume' as const, 'pull' as const, 'webhook' as const),
  /** How the child that has children of its own takes them. */
  childTakes: fc.constantFrom('resume' as const, 'pull' as const),
  attemptsMax: fc.integer({ min: 1, max: 3 }),
  /** Everybody has work in line from the start. */
  busy: fc.boolean(),
});
export type Setup = typeof setup extends fc.Arbitrary<infer S> ? S : never;

/** Bounds that are reached within what a command `pass` lets pass. */
export const PLAY_LIMITS = { environmentRetriesMax: 2, sessionSilenceMs: 900_000 };

export class Play {
  /** What runners hold, whether they still have the lease or not. */
  held: HeldRun[] = [];

  constructor(
    private readonly setup: Setup,
    readonly world = new World(PLAY_LIMITS),
  ) {
    for (const one of NAMES) this.create(one);
    if (setup.state) this.world.giveState();
    for (const one of NAMES) if (setup.busy && one !== 'x') this.world.work(one);
  }

  create(one: (typeof NAMES)[number]): void {
    const parent = PARENTS[one] ?? null;
    this.world.tryCreate(one, {
      sessionId: this.world.newId('ses'),
      parent,
      callback: parent !== null && one !== 'a2',
      external: one === 'x',
      delivery: this.takes(one),
      callbackTarget:
        one === 'root' && this.setup.rootTakes === 'webhook'
          ? { url: 'https://parent.example/callbacks', secret: 'whsec_1' }
          : null,
      settings: completionSettings({
        // The state may come later, or never.
        awaitState: true,
        mode: this.setup.modes[NAMES.indexOf(one)]!,
        contract: this.setup.contracts && parent !== null ? contractAt(`/${one}`) : null,
        attemptsMax: this.setup.attemptsMax,
      }),
    });
  }

  private takes(one: (typeof NAMES)[number]): Delivery | null {
    if (one === 'x') return 'pull';
    return one === 'root' ? this.setup.rootTakes : one === 'a' ? this.setup.childTakes : null;
  }

  do(what: Command): void {
    const { world, held } = this;
    const one = 'pick' in what ? held.at(-1 - (what.pick % Math.max(1, held.length))) : undefined;
    const target = 'name' in what ? this.live(what.name) : null;
    switch (what.do) {
      case 'begin':
        this.begin(what.name, what.then);
        break;
      case 'claim':
        this.held.push(...world.claim(what.count));
        break;
      case 'start':
        if (one !== undefined) world.start(one);
        break;
      case 'complete':
        if (one !== undefined) world.complete(one, 'done');
        break;
      case 'fail':
        if (one !== undefined) world.fail(one, what.cause);
        break;
      case 'report_stopped':
        if (one !== undefined) world.stopped(one);
        break;
      case 'lose':
        this.held = held.filter((each) => each !== one);
        break;
      case 'heartbeat':
        this.beat();
        break;
      case 'work':
        if (target !== null && what.name !== 'x')
          world.work(what.name, { callback: what.name === 'root' ? undefined : what.callback || undefined });
        break;
      case 'write':
        if (target !== null && world.store.states.size > 0) world.write(what.name, what.name, what.value);
        break;
      case 'break':
        if (world.store.states.size > 0) world.write(null, what.name, -1);
        break;
      case 'refuse':
        if (target !== null && world.store.states.size > 0)
          world.refuseWrite(what.name, [{ pointer: '/n', keyword: 'k', message: 'no', expected: null }]);
        break;
      case 'stop':
        world.decide((unit) => stopSession(unit, what.name));
        break;
      case 'stop_run':
        world.decide((unit) => stopRun(unit, [...world.store.runs.keys()].at(-1 - what.pick) ?? 'run_none'));
        break;
      case 'skip':
        world.decide((unit) => skipCompletion(unit, what.name, 'skipped'));
        break;
      case 'retry':
        world.decide((unit) => retryCompletion(unit, what.name, 'again'));
        break;
      case 'delete':
        if (what.name !== 'root')
          world.decide((unit) => (what.state ? deleteWithState : deleteSession)(unit, what.name));
        break;
      case 'external':
        this.external(what.say);
        break;
      case 'send':
        this.send(what.taken ? 200 : 410);
        break;
      case 'put_aside': {
        const root = world.session('root').sessionId;
        if (target !== null)
          world.decide((unit) =>
            setAside(unit, root, { kind: 'completion', sessionId: target.sessionId }, 'It is damaged.'),
          );
        break;
      }
      case 'pull':
        world.decide((unit) => pullCallbacks(unit, what.name));
        break;
      case 'redeliver':
      case 'acknowledge': {
        const callbackId = [...world.store.callbacks.keys()][what.pick] ?? 'cb_none';
        world.decide((unit) =>
          what.do === 'redeliver' ? redeliver(unit, callbackId) : acknowledge(unit, callbackId),
        );
        break;
      }
      case 'drop_state':
        world.dropState();
        break;
      case 'give_state':
        if (world.store.states.size === 0) world.giveState();
        break;
      case 'create':
        this.create(what.name);
        break;
      case 'pass':
        world.pass(what.ms);
        break;
    }
  }

  /** Takes the run that waits for a session, and lets it come to something. */
  begin(of: (typeof NAMES)[number], then: 'complete' | 'write' | 'agent' | 'go_on'): void {
    const { world } = this;
    const live = this.live(of);
    if (live === null) return;
    const mine = (one: HeldRun) => world.store.runs.get(one.runId)?.sessionId === live.sessionId;
    this.held.push(...world.claim());
    const one = this.held.findLast(mine);
    if (one === undefined) return;
    world.start(one);
    if (then === 'write' && world.store.states.size > 0) world.write(of, of, 1);
    if (then === 'agent') world.fail(one, 'agent');
    if (then === 'complete' || then === 'write') world.complete(one, 'done');
  }

  live(of: string) {
    return (
      [...this.world.store.sessions.values()].find(
        (one) => one.sessionName === of && one.deletedAt === null,
      ) ?? null
    );
  }

  external(type: SessionReport['type']): void {
    this.world.decide((unit) =>
      sessionReported(unit, 'x', { type, resultText: 'said', resultData: null, executorSessionId: null }),
    );
  }

  /** The message that has waited longest is sent to the root's URL, and answered. */
  send(status: number): void {
    const { world } = this;
    const due = [...world.store.deliveries.values()].find((one) => one.endedAt === null);
    if (due === undefined) return;
    const { deliveryId } = due;
    const claimed = world.decide((unit) => claimDelivery(unit, deliveryId));
    if (!claimed.ok || claimed.value === null) return;
    const { attempt } = claimed.value.delivery;
    const answer = { kind: 'answer', status, retryAfterMs: null, response: '', durationMs: 1 } as const;
    world.decide((unit) => attemptDone(unit, deliveryId, attempt, answer, 0));
  }

  /** A runner hears what it has lost and what it has to stop. */
  beat(): void {
    const { lost, stop } = this.world.heartbeat(this.held);
    for (const each of this.held) if (stop.includes(each.runId)) this.world.stopped(each);
    this.held = this.held.filter((each) => !lost.includes(each.runId));
  }

  /** The faults stop: every run is taken, starts and completes, whoever has to answer does, and time passes. */
  drain(): void {
    const { world } = this;
    for (let rounds = 0; rounds < 300; rounds += 1) {
      const before = world.store.written.length;
      for (const each of [...this.held, ...world.claim()]) {
        world.start(each);
        world.complete(each, 'drained');
      }
      this.held = [];
      for (const one of world.store.sessions.values()) {
        if (one.deletedAt !== null) continue;
        this.send(200);
        if (one.delivery === 'pull') world.decide((unit) => pullCallbacks(unit, one.sessionId));
        const idle = world.openRunsOf(one.sessionName).length === 0;
        if (world.completion(one.sessionName).workOutcome === null && idle && !one.external)
          world.work(one.sessionName);
      }
      const x = this.live('x');
      if (x !== null && world.completion('x').releasedAt === null) this.external('session_stop');
      world.fire();
      const next = world.store.nextDueAt(world.now);
      if (next === null && world.store.written.length === before) return;
      if (next !== null) world.pass(next - world.now);
    }
    throw new Error('it never comes to rest');
  }
}
