// Webhooks that many changes are for. What they send goes to a name that nobody has.
import type { Target } from '../target.js';
import { AttackedState, each, list, many, pause, type Attack } from '../kit.js';

const WEBHOOKS = 100;
const hook = { url: 'https://receiver.invalid/hook', events: ['workflow_state_updated'] };

async function removeAll(target: Target): Promise<void> {
  const { body } = await target.call('GET', '/webhooks?limit=1000');
  for (const one of body.items ?? []) await target.call('DELETE', `/webhooks/${String(one.webhook_id)}`);
}

export const webhooks: readonly Attack[] = [
  {
    name: '100 webhooks with distinct conditions, 100 writes',
    async ready(target) {
      const state = await AttackedState.open(target, { n: 0 });
      await each(WEBHOOKS, (at) =>
        target.must('POST', '/webhooks', {
          ...hook,
          state_id: state.id,
          when: { properties: { n: { const: at + 10_000 } }, required: ['n'] },
        }),
      );
      return async () => {
        await many(100, 10, (at) => state.put({ n: at }));
        await pause(1500);
        await removeAll(target);
      };
    },
  },
  {
    name: '100 webhooks of 5 trees fire at each of 200 writes of 5 callers',
    async ready(target) {
      const states: AttackedState[] = [];
      await each(5, async () => states.push(await AttackedState.open(target, { n: 0 })));
      // As many as each tree and each of its sessions may make.
      for (const { root } of states) {
        const child = await target.must('POST', '/sessions', { parent_session_id: root, external: true });
        for (const session of [root, child.session_id]) {
          await each(10, () =>
            target.must('POST', '/webhooks', hook, { 'x-agent-session-id': String(session) }),
          );
        }
      }
      return async () => {
        await many(
          200,
          50,
          (at) => states[at % states.length]?.put({ n: at, text: 'x'.repeat(30_000) }) ?? Promise.resolve(),
        );
        await pause(2000);
        await removeAll(target);
      };
    },
  },
  {
    name: '100 webhooks with conditions on a mebibyte, 10 writes of it',
    async ready(target) {
      const items = list(20_000, (at) => ({ name: `item ${String(at)}` }));
      const state = await AttackedState.open(target, { n: 0, items });
      await each(WEBHOOKS, (at) =>
        target.must('POST', '/webhooks', {
          ...hook,
          state_id: state.id,
          when: { properties: { n: { const: at }, items: { items: { required: ['name'] } } } },
        }),
      );
      return async () => {
        await many(10, 10, (at) => state.set('/n', at + 1));
        await pause(4000);
        await removeAll(target);
      };
    },
  },
];
