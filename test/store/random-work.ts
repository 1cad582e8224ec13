// Random work of many callers at once, on a few trees of sessions, and what a store then knows of these trees.
import { isDeepStrictEqual } from 'node:util';
import type { CallbackView, ClaimedRun, SessionEvent } from '../../src/ports/api/index.js';
import type { Logger } from '../../src/ports/runtime.js';
import type { Countersign } from '../../src/ports/service.js';
import type { Store } from '../../src/ports/storage/store.js';
import { must } from '../service/harness.js';
import { createRandom, type Random } from '../soak/random.js';
import { silent, startCoordinatorOn } from '../support/coordinator.js';

const TREES = ['red', 'green', 'blue'] as const;
const CALLERS = 16;
const CALLS_OF_EACH = 10;

/**
 * Many callers ask for random things, each at any of the coordinators on these stores. That calls are refused is part of it.
 *
 * @returns What the coordinators log as errors.
 */
export async function workAtRandom(stores: readonly Store[], seed: number): Promise<readonly string[]> {
  const errors: string[] = [];
  const error: Logger['error'] = (fields, message) => errors.push(`${message} ${JSON.stringify(fields)}`);
  const options = { overrides: { tickMs: 20 }, logger: { ...silent, error } };
  const coordinators = await Promise.all(stores.map((store) => startCoordinatorOn(store, options)));
  const runners = await Promise.all(coordinators.map(({ operator }) => prepare(operator)));
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    const random = createRandom(seed + i);
    for (let n = 0; n < CALLS_OF_EACH; n += 1) {
      const at = random.between(0, stores.length - 1);
      await callAtRandom(coordinators[at]!.operator, random, runners[at]!);
    }
  });
  await Promise.all(callers);
  await Promise.all(coordinators.map((one) => one.close()));
  return errors;
}

async function prepare(operator: Countersign): Promise<Runner> {
  must(await operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
  const body = { hostname: 'host', executor_types: ['command'], max_concurrent: 64 };
  return { runnerId: must(await operator.runners.register(body)).runner_id, claimed: [] };
}

type Told = Extract<CallbackView['status'], 'dead' | 'delivered' | 'acknowledged'>;

interface Runner {
  readonly runnerId: string;
  readonly claimed: ClaimedRun[];
}

async function callAtRandom(operator: Countersign, random: Random, runner: Runner): Promise<void> {
  const { sessions, runs, callbacks, states } = operator;
  const root = random.oneOf(TREES);
  const child = `${root}-${String(random.between(1, 8))}`;
  const anyone = random.oneOf([root, child, child]);
  switch (random.between(1, 15)) {
    case 1:
      await runs.create({ type: 'start_session', session_name: root, prompt: 'p' });
      await states.create({ schema_name: 'plan', initial_data: {}, root_session_name: root });
      return;
    case 2:
      await runs.create({ type: 'resume_session', session_name: anyone, prompt: 'more', callback: true });
      return;
    case 3:
    case 4:
      await sessions.create({
        session_name: child,
        parent_session_name: random.oneOf([root, root, `${root}-1`]),
        external: random.oneOf([true, true, false]),
        callback: true,
        completion: { mode: random.oneOf(['never', 'always', 'unless_satisfied']) },
      });
      return;
    case 5:
    case 6:
      await sessions.report(child, eventAtRandom(random));
      return;
    case 7:
      await sessions.stop(anyone);
      return;
    case 8: {
      const status = random.oneOf<Told>(['dead', 'delivered', 'acknowledged']);
      const found = must(await callbacks.list({ status, limit: 10 })).items;
      const act = random.oneOf(['redeliver', 'redeliver', 'acknowledge'] as const);
      await Promise.all(found.map(({ callback_id }) => callbacks[act](callback_id)));
      return;
    }
    case 9:
      await sessions.pullCallbacks(anyone, 0);
      return;
    case 10: {
      const work = await operator.runners.poll({ runnerId: runner.runnerId, waitMs: 0 });
      if (work.ok) runner.claimed.push(...work.value.runs);
      return;
    }
    case 11:
    case 12:
      await endAtRandom(operator, random, runner);
      return;
    case 13:
      await sessions[random.oneOf(['skip', 'retry'] as const)](child, { reason: 'why not' });
      return;
    case 14:
      await operator.keys.set(anyone, 'n', random.between(1, 9), {});
      return;
    default:
      await sessions.remove(child);
  }
}

function eventAtRandom(random: Random): SessionEvent {
  return random.oneOf<SessionEvent>([
    { type: 'session_start' },
    { type: 'session_stop', result_text: 'done' },
    { type: 'session_stop', result_text: 'done' },
    { type: 'message' },
    { type: 'session_end', reason: 'gone' },
  ]);
}

async function endAtRandom({ runners }: Countersign, random: Random, runner: Runner): Promise<void> {
  const run = runner.claimed.shift();
  if (run === undefined) return;
  const { run_id, attempt, lease_token } = run;
  const lease = { runner_id: runner.runnerId, attempt, lease_token };
  await runners.started(run_id, lease);
  if (random.between(1, 3) === 1) await runners.failed(run_id, { ...lease, error: 'broken' });
  else await runners.completed(run_id, { ...lease, result_text: 'done' });
}

/** What a decision gets to see of every session, from memory as far as the store has it there. */
async function seenBy(store: Store, rootSessionIds: readonly string[], sessionIds: readonly string[]) {
  const loads = [
    ...sessionIds.map((sessionId) => ({ load: 'aggregate' as const, sessionId })),
    ...rootSessionIds.map((rootSessionId) => ({ load: 'treeState' as const, rootSessionId })),
    ...rootSessionIds.map((rootSessionId) => ({ load: 'sessionCount' as const, rootSessionId })),
  ];
  return store.transact(loads, ({ aggregates, trees, states, sessionCounts }) => ({
    changes: [],
    value: { aggregates, trees, states, sessionCounts },
  }));
}

/**
 * What is wrong after all calls were answered: records that stores have otherwise in memory than they are in the database, and
 * what `doctor` finds. External sessions that said that they end are lost, as they should be.
 *
 * @param fresh - A store that has nothing in memory yet.
 */
export async function problemsIn(stores: readonly Store[], fresh: Store): Promise<readonly string[]> {
  const { items } = await fresh.read.sessions({}, { limit: 1000, cursor: null });
  const ids = items.map(({ sessionId }) => sessionId);
  const roots = [...new Set(items.map(({ rootSessionId }) => rootSessionId))];
  const right = await seenBy(fresh, roots, ids);
  const problems: string[] = [];
  for (const store of stores) {
    const seen = await seenBy(store, roots, ids);
    for (const kind of ['aggregates', 'trees', 'states', 'sessionCounts'] as const)
      for (const [id, record] of right[kind])
        if (!isDeepStrictEqual(seen[kind].get(id), record)) problems.push(`${kind}: ${id}`);
  }
  const findings = await fresh.read.doctor(Date.now(), 100);
  for (const { check, subject } of findings)
    if (check !== 'session_not_lost') problems.push(`${check}: ${subject}`);
  return problems;
}
