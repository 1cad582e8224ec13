// Waits for conditions, and contracts.
import { AttackedState, each, fresh, list, many, onState, pause, type Attack } from '../kit.js';

/** A condition that no other is equal to, and that does not hold. */
const distinct = (at: number) => ({ properties: { n: { const: at + 10 } }, required: ['n'] });
const NUMBER = () => ({ n: 0 });

/** A document of a mebibyte, and conditions that look at all of it. */
const LARGE = () => ({ n: 0, items: list(20_000, (at) => ({ name: `item ${String(at)}` })) });
const onItems = (at: number) => ({
  properties: { n: { const: at + 10 }, items: { items: { required: ['name'], minProperties: 1 } } },
});

/** Lets 1,000 wait, writes, and deletes the state. */
function whileTheyWait(
  name: string,
  data: () => unknown,
  condition: (at: number) => object,
  write: (state: AttackedState) => Promise<unknown>,
): Attack {
  return {
    name,
    async ready(target) {
      const state = await AttackedState.open(target, data());
      const waits = list(1000, (at) => state.wait(condition(at)));
      await pause(8000);
      return async () => {
        await write(state);
        await target.call('DELETE', state.path);
        await Promise.all(waits);
      };
    },
  };
}

export const conditions: readonly Attack[] = [
  whileTheyWait('1,000 waits of distinct conditions, one write', NUMBER, distinct, (state) =>
    each(5, async (at) => {
      await state.put({ n: at - 10 });
      await pause(1000);
    }),
  ),
  onState('1,000 waits of distinct conditions are sent at once', NUMBER, (state) =>
    many(1000, 1000, (at) => state.wait(distinct(at), 1000)),
  ),
  onState('1,000 waits on a document of a mebibyte are sent at once', LARGE, (state) =>
    many(1000, 1000, (at) => state.wait(onItems(at), 10_000)),
  ),
  whileTheyWait('1,000 waits on a document of a mebibyte, 5 writes', LARGE, onItems, async (state) => {
    await each(5, (at) => state.set('/n', at - 10));
    await pause(4000);
  }),
  onState(
    'contracts of 1,000 open children, 20 writes',
    NUMBER,
    (state) => many(20, 4, (at) => state.put({ n: at + 1 })),
    {
      before: ({ target, root }) =>
        many(1000, 20, (at) =>
          target.call('POST', '/sessions', {
            session_name: fresh('child'),
            parent_session_id: root,
            external: true,
            completion: { contract: { pointer: '', schema: distinct(at + 1000) } },
          }),
        ),
    },
  ),
];
