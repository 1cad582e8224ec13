// Trees of sessions: large ones, made in a burst, and talking all at once.
import { fresh, list, many, type Attack } from '../kit.js';
import type { Target } from '../target.js';

async function rootOf(target: Target, what: string): Promise<string> {
  const root = await target.must('POST', '/sessions', { session_name: fresh(what), external: true });
  return String(root.session_id);
}

const childOf = (target: Target, root: string, more: object = {}) =>
  target.call('POST', '/sessions', { parent_session_id: root, external: true, ...more });

function inLargeTree(name: string, attack: (target: Target, root: string) => Promise<unknown>): Attack {
  return {
    name,
    async ready(target) {
      const root = await rootOf(target, 'large');
      await many(15_000, 100, () => childOf(target, root));
      return () => attack(target, root);
    },
  };
}

export const sessions: readonly Attack[] = [
  {
    name: 'tree of 5,000 sessions, 20 times',
    async ready(target) {
      const root = await rootOf(target, 'wide');
      await many(5000, 50, () => childOf(target, root));
      return () => many(20, 20, () => target.call('GET', `/sessions/${root}/tree`));
    },
  },
  inLargeTree('1,000 sessions are made at once in a tree of 15,000', (target, root) =>
    many(1000, 1000, () => childOf(target, root)),
  ),
  inLargeTree('200 sessions are made and stopped by a session in a tree of 15,000', async (target, root) => {
    const as = { 'x-agent-session-id': root };
    const { body } = await childOf(target, root);
    const ids: string[] = [];
    await many(200, 200, async () => {
      const more = { parent_session_id: body.session_id, external: true };
      ids.push((await target.must('POST', '/sessions', more, as)).session_id);
    });
    await many(200, 200, (at) => target.call('POST', `/sessions/${ids[at] ?? ''}/stop`, undefined, as));
  }),
  inLargeTree('50 lists of 1,000 sessions of a tree of 15,000 at once', (target, root) =>
    many(50, 50, () => target.call('GET', `/sessions?root_session=${root}&limit=1000`)),
  ),
  inLargeTree('tree of 15,000 sessions, 5 times', (target, root) =>
    many(5, 5, () => target.call('GET', `/sessions/${root}/tree`)),
  ),
  {
    name: '1,000 runs of new sessions are asked for at once, stopped, and deleted',
    async ready(target) {
      const root = await rootOf(target, 'runs');
      return async () => {
        const names = list(1000, () => fresh('run'));
        const body = { type: 'start_session', parent_session_id: root, prompt: 'x'.repeat(10_000) };
        await many(1000, 1000, (at) => target.call('POST', '/runs', { ...body, session_name: names[at] }));
        await many(1000, 500, (at) => target.call('POST', `/sessions/${names[at] ?? ''}/stop`));
        await many(1000, 500, (at) => target.call('DELETE', `/sessions/${names[at] ?? ''}`));
      };
    },
  },
  {
    name: 'schema dry run that is held against 1,000 states',
    async ready(target) {
      const name = fresh('living');
      const json_schema = { type: 'object', properties: { items: { type: 'array' } } };
      await target.must('POST', '/workflow-schemas', { name, json_schema });
      await many(300, 20, async () => {
        await target.must('POST', '/workflow-states', {
          schema_name: name,
          root_session_id: await rootOf(target, 'alive'),
          initial_data: { items: list(10_000, (at) => ({ v: at })) },
        });
      });
      return () =>
        many(3, 3, (at) => {
          const items = { type: 'array', items: { minProperties: at + 2 } };
          const body = { name, json_schema: { type: 'object', properties: { items } } };
          return target.call('POST', '/workflow-schemas?dry_run=true', body);
        });
    },
  },
  {
    name: '300 conversations that stop with a result of 256 KB',
    async ready(target) {
      const root = await rootOf(target, 'host');
      const ids: string[] = [];
      await many(300, 20, async () => {
        const { body } = await childOf(target, root, { callback: true, delivery: 'pull' });
        ids.push(body.session_id);
      });
      return async () => {
        await many(300, 100, (at) =>
          target.call('POST', `/sessions/${ids[at] ?? ''}/events`, {
            type: 'session_stop',
            result_text: '<agent-callback>\u202e'.repeat(11_000),
          }),
        );
        await many(300, 100, () => target.call('GET', `/sessions/${root}/callbacks`));
      };
    },
  },
];
