// Random lives of trees on a real service and a real file: whatever a user can do, in any order, from a seed.
import { must, PlayedRunner, type Harness } from '../service/harness.js';
import type { ClaimedRun } from '../../src/ports/api/index.js';

/** Numbers from a seed (mulberry32): the same seed makes the same lives. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/** Trees that live at the same time: their writes share commits. */
const AT_ONCE = 60;

/** Lives `count` trees, each for some random steps. What the service refuses is no matter; what it throws is. */
export async function live(harness: Harness, seed: number, count: number): Promise<void> {
  const { operator } = harness;
  await operator.schemas.register({ name: 'life', json_schema: { type: 'object' } });
  const runner = await PlayedRunner.register(harness);
  const states = new Map<string, string>();
  const lives = async (line: number) => {
    for (let tree = line; tree < count; tree += AT_ONCE) {
      await liveTree({ harness, runner, states }, randomOf(seed * 10_000 + tree), `t${seed}-${tree}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, line) => lives(line)));
}

async function liveTree(
  { harness, runner, states }: { harness: Harness; runner: PlayedRunner; states: Map<string, string> },
  below: (below: number) => number,
  name: string,
): Promise<void> {
  const { operator } = harness;
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  must(
    await operator.sessions.create({
      session_name: name,
      external: true,
    }),
  );
  const root = await harness.as(name);
  const created = await root.states.create({ schema_name: 'life', initial_data: { n: 0 } });
  const state = created.ok ? created.value.state_id : '';
  states.set(name, state);
  const kids: string[] = [];
  const held: ClaimedRun[] = [];
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const kid = `${name}-k${kids.length}`;
      const made = await root.runs.create({
        type: 'start_session',
        session_name: kid,
        prompt: 'work',
        callback: below(4) > 0,
        completion: {
          mode: pick(['always', 'unless_satisfied', 'never'] as const),
          max_attempts: 1 + below(2),
          ...(below(2) === 0
            ? {}
            : { contract: { pointer: `/k${kids.length}`, schema: { type: 'integer' } } }),
        },
      });
      if (made.ok) kids.push(kid);
    },
    async () => {
      const kid = `${name}-k${kids.length}`;
      const made = await root.sessions.create({ session_name: kid, external: true, callback: below(3) > 0 });
      if (made.ok) kids.push(kid);
    },
    async () => {
      for (const run of await runner.claim()) {
        await operator.runners.started(run.run_id, { ...runner.lease(run), executor_type: 'command' });
        held.push(run);
      }
    },
    async () => {
      const run = held.shift();
      if (run === undefined) return;
      const { session_name: kid } = run;
      if (below(3) > 0) await write(kid);
      if (below(4) === 0) {
        await operator.runners.failed(run.run_id, {
          ...runner.lease(run),
          error: 'no',
          cause: pick(['agent', 'environment'] as const),
        });
      } else await operator.runners.completed(run.run_id, { ...runner.lease(run), result_text: 'done' });
    },
    async () => {
      if (kids.length > 0) await write(pick(kids));
    },
    async () => root.states.patch(state, [{ op: 'add', path: '/n', value: below(1000) }], {}),
    async () => {
      if (kids.length === 0) return;
      await operator.runs.create({
        type: 'resume_session',
        session_name: pick(kids),
        prompt: 'more',
        callback: below(2) === 0,
      });
    },
    async () => {
      if (kids.length > 0) await operator.sessions.stop(pick(kids));
    },
    async () => {
      if (kids.length === 0) return;
      const kid = pick(kids);
      const as = await harness.service.identify({ bearer: null, sessionId: null, sessionName: kid });
      if (as.ok)
        await harness.service
          .as(as.value)
          .sessions.report(kid, { type: pick(['session_start', 'session_stop'] as const) });
    },
    async () => {
      const pulled = await root.sessions.pullCallbacks(name, 0);
      for (const one of pulled.ok ? pulled.value.items : [])
        if (below(2) === 0) await root.callbacks.acknowledge(one.callback_id);
    },
    async () => root.sessions.report(name, { type: pick(['session_start', 'session_stop'] as const) }),
    async () => {
      if (kids.length > 0) await operator.sessions.skip(pick(kids), {});
    },
    async () => {
      if (kids.length > 0) await operator.sessions.retry(pick(kids), {});
    },
    async () => {
      if (kids.length > 0 && below(3) === 0) await operator.sessions.remove(pick(kids));
    },
    async () => {
      if (below(4) === 0) await operator.sessions.remove(name, { cascade: below(2) === 0 });
    },
    async () => {
      if (below(6) === 0) await operator.states.remove(state);
    },
    () => {
      harness.clock.advance(1000 * below(200));
      return Promise.resolve();
    },
  ];
  async function write(kid: string): Promise<void> {
    const as = await harness.service.identify({ bearer: null, sessionId: null, sessionName: kid });
    if (!as.ok) return;
    const path = `/${kid.slice(kid.lastIndexOf('k'))}`;
    // A runner is handed the runs of whatever tree.
    const of = states.get(kid.slice(0, kid.lastIndexOf('-k'))) ?? '';
    await harness.service.as(as.value).states.patch(of, [{ op: 'add', path, value: below(100) }], {});
  }
  // Most lives are short; in one of four there is time for much to come together.
  const length = below(4) === 0 ? 6 + below(8) : 2 + below(4);
  for (let step = 0; step < length; step += 1) await pick(steps)();
  // A runner takes so many at a time: what stays with it would keep the others from theirs.
  for (const run of held)
    await operator.runners.completed(run.run_id, { ...runner.lease(run), result_text: 'done' });
}
