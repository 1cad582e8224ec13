// What one caller may send, each as large as the limits let it be. `ready` is not measured; what it returns is.
import type { Target } from './target.js';
import { list, fresh, many, members, pause, stateOf, treeOf } from './kit.js';

export interface Attack {
  readonly name: string;
  readonly ready: (target: Target) => Promise<() => Promise<unknown>>;
}

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };

/** A document of numbers that takes about a mebibyte. */
const scalars = (count: number, value: number) => ({ items: list(count, () => value) });

async function silentReaders(target: Target, count: number, path: string): Promise<void> {
  for (let done = 0; done < count; done += 100) {
    await Promise.all(
      list(Math.min(100, count - done), async () => {
        const socket = await target.raw(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${String(target.port)}\r\n\r\n`,
        );
        socket.pause();
      }),
    );
  }
  await pause(500);
}

function put(target: Target, id: string, data: unknown, more: object = {}) {
  return target.call('PUT', `/workflow-states/${id}`, { data, ...more });
}

const patch = (target: Target, id: string, operations: unknown) =>
  target.call('PATCH', `/workflow-states/${id}`, operations, JSON_PATCH);

const streams: readonly Attack[] = [
  {
    name: '600 streams of a state that never read, one write of 900 KB',
    ready: async (target) => {
      const id = await stateOf(target, { text: '' });
      await silentReaders(target, 600, `/workflow-states/${id}/stream`);
      return () => put(target, id, { text: 'x'.repeat(900_000) });
    },
  },
  {
    name: '600 streams of everything that never read, 10 writes of 900 KB',
    ready: async (target) => {
      const id = await stateOf(target, { text: '' });
      await silentReaders(target, 600, '/stream');
      return async () => {
        for (const at of list(10, (n) => n)) await put(target, id, { text: String(at).repeat(900_000) });
      };
    },
  },
  {
    name: '600 streams from the past that never read',
    ready: async (target) => {
      const id = await stateOf(target, { text: '' });
      for (const at of list(4, (n) => n)) await put(target, id, { text: String(at).repeat(900_000) });
      return () => silentReaders(target, 600, `/workflow-states/${id}/stream?since=1`);
    },
  },
  {
    name: '600 streams with a snapshot of 900 KB that never read',
    ready: async (target) => {
      const id = await stateOf(target, { text: 'x'.repeat(900_000) });
      return () => silentReaders(target, 600, `/workflow-states/${id}/stream?snapshot=true`);
    },
  },
  {
    name: '600 streams of a state, 1,000 small writes',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      await silentReaders(target, 600, `/workflow-states/${id}/stream`);
      return () =>
        many(1000, 50, () =>
          target.call('POST', `/workflow-states/${id}/ops`, {
            operations: [{ op: 'increment', pointer: '/n', delta: 1 }],
          }),
        );
    },
  },
];

const conditions: readonly Attack[] = [
  {
    name: '1,000 waits of distinct conditions, one write',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      const waits = list(1000, (at) =>
        target
          .call('POST', `/workflow-states/${id}/wait`, {
            until: { properties: { n: { const: at + 10 } }, required: ['n'] },
            timeout_ms: 60_000,
          })
          .catch(() => null),
      );
      await pause(8000);
      return async () => {
        for (const at of list(5, (n) => n)) {
          await put(target, id, { n: at - 10 });
          await pause(1000);
        }
        await target.call('DELETE', `/workflow-states/${id}`);
        await Promise.all(waits);
      };
    },
  },
  {
    name: '1,000 waits of distinct conditions are sent at once',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      return async () => {
        await many(1000, 1000, (at) =>
          target.call('POST', `/workflow-states/${id}/wait`, {
            until: { properties: { n: { const: at + 10 } }, required: ['n'] },
            timeout_ms: 1000,
          }),
        );
      };
    },
  },
  {
    name: '1,000 waits on a document of a mebibyte, 5 writes',
    ready: async (target) => {
      const id = await stateOf(target, {
        n: 0,
        items: list(20_000, (at) => ({ name: `item ${String(at)}` })),
      });
      const waits = list(1000, (at) =>
        target
          .call('POST', `/workflow-states/${id}/wait`, {
            until: {
              properties: {
                n: { const: at + 10 },
                items: { items: { required: ['name'], minProperties: 1 } },
              },
            },
            timeout_ms: 60_000,
          })
          .catch(() => null),
      );
      await pause(8000);
      return async () => {
        for (const at of list(5, (n) => n)) {
          await target.call('POST', `/workflow-states/${id}/ops`, {
            operations: [{ op: 'set', pointer: '/n', value: at - 10 }],
          });
        }
        await pause(4000);
        await target.call('DELETE', `/workflow-states/${id}`);
        await Promise.all(waits);
      };
    },
  },
  {
    name: '100 webhooks with distinct conditions, 100 writes',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      for (const at of list(100, (n) => n)) {
        await target.call('POST', '/webhooks', {
          url: 'https://example.com/hook',
          events: ['workflow_state_updated'],
          state_id: id,
          when: { properties: { n: { const: at + 10_000 } }, required: ['n'] },
        });
      }
      return async () => {
        await many(100, 10, (at) => put(target, id, { n: at }));
        await pause(1500);
        const { body } = await target.call('GET', '/webhooks?limit=1000');
        for (const one of body.items ?? [])
          await target.call('DELETE', `/webhooks/${String(one.webhook_id)}`);
      };
    },
  },
  {
    name: 'contracts of 1,000 open children, 20 writes',
    ready: async (target) => {
      const { stateId, root } = await treeOf(target, { n: 0 });
      await many(1000, 20, (at) =>
        target.call('POST', '/sessions', {
          session_name: fresh('child'),
          parent_session_id: root,
          external: true,
          completion: {
            contract: { pointer: '', schema: { properties: { n: { const: at + 1000 } }, required: ['n'] } },
          },
        }),
      );
      return () => many(20, 4, (at) => put(target, stateId, { n: at + 1 }));
    },
  },
];

const merges: readonly Attack[] = [
  {
    name: 'PUT with base_version over 200,000 changed scalars',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      await put(target, id, scalars(200_000, 2));
      return () => put(target, id, scalars(200_000, 3), { base_version: 1, on_conflict: 'overwrite' });
    },
  },
  {
    name: 'PUT with base_version over 200,000 changed scalars, refused',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      await put(target, id, scalars(200_000, 2));
      return () => put(target, id, scalars(200_000, 3), { base_version: 1 });
    },
  },
  {
    name: 'PUT with base_version over 60,000 members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      await put(target, id, { ...members(60_000, () => 1), m0: 5 });
      return () => put(target, id, { ...members(60_000, () => 2), m0: 1 }, { base_version: 1 });
    },
  },
  {
    name: 'PUT with base_version over shuffled items',
    ready: async (target) => {
      const make = (from: number) => ({ items: list(90_000, (at) => (at * 7919 + from) % 90_001) });
      const id = await stateOf(target, make(0));
      await put(target, id, make(17));
      return () => put(target, id, make(4242), { base_version: 1 });
    },
  },
  {
    name: 'PUT with base_version over 20,000 objects',
    ready: async (target) => {
      const make = (from: number) => ({ items: list(20_000, (at) => ({ id: at, v: (at + from) % 977 })) });
      const id = await stateOf(target, make(0));
      await put(target, id, make(17));
      return () => put(target, id, make(42), { base_version: 1, on_conflict: 'overwrite' });
    },
  },
  {
    name: 'PUT of 200,000 changed scalars',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      return () => put(target, id, scalars(200_000, 2));
    },
  },
  {
    name: 'PUT that reverses 200,000 scalars and puts one before them',
    ready: async (target) => {
      const id = await stateOf(target, { items: list(130_000, (at) => at) });
      return () => put(target, id, { items: [-1, ...list(130_000, (at) => at).reverse()] });
    },
  },
  {
    name: 'PUT of 60,000 other members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      return () =>
        put(
          target,
          id,
          members(60_000, () => 2, 'k'),
        );
    },
  },
];

const operators: readonly Attack[] = [
  {
    name: '500 appends of 500 items in one request',
    ready: async (target) => {
      const id = await stateOf(target, { items: [] });
      const items = list(500, () => 1);
      return () =>
        target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(500, () => ({ op: 'append', pointer: '/items', items })),
        });
    },
  },
  {
    name: '500 requests that append 500 items',
    ready: async (target) => {
      const id = await stateOf(target, { items: [] });
      const items = list(500, () => 1);
      return () =>
        many(500, 500, () =>
          target.call('POST', `/workflow-states/${id}/ops`, {
            operations: [{ op: 'append', pointer: '/items', items }],
          }),
        );
    },
  },
  {
    name: '1,000 sets on a document of 60,000 members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      return () =>
        target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(1000, (at) => ({ op: 'set', pointer: `/m${String(at * 7)}`, value: 2 })),
        });
    },
  },
  {
    name: '1,000 new members on a document of 60,000 members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      return () =>
        target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(1000, (at) => ({ op: 'set', pointer: `/new${String(at * 7)}`, value: 2 })),
        });
    },
  },
  {
    name: '1,000 deletes on a document of 60,000 members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      return () =>
        target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(1000, (at) => ({ op: 'delete', pointer: `/m${String(at * 7)}` })),
        });
    },
  },
  {
    name: '1,000 deletes that are refused by the last',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      return () =>
        many(3, 1, () =>
          target.call('POST', `/workflow-states/${id}/ops`, {
            operations: list(1000, (at) => ({
              op: 'delete',
              pointer: `/m${String(at === 999 ? 'x' : at * 7)}`,
            })),
          }),
        );
    },
  },
  {
    name: '200 requests of one set on a document of 60,000 members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      return () =>
        many(200, 200, (at) =>
          target.call('POST', `/workflow-states/${id}/ops`, {
            operations: [{ op: 'set', pointer: `/m${String(at * 7)}`, value: 2 }],
          }),
        );
    },
  },
  {
    name: '1,000 sets across 1,000 wide objects',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(1000, () => members(100, () => 1)),
      );
      return () =>
        target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(1000, (at) => ({ op: 'set', pointer: `/m${String(at)}/m7`, value: 2 })),
        });
    },
  },
  {
    name: '1,000 merges of 40 members each',
    ready: async (target) => {
      const id = await stateOf(target, { o: members(50_000, () => 1) });
      return () =>
        target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(1000, (at) => ({
            op: 'merge',
            pointer: '/o',
            patch: members(40, () => at, `x${String(at)}-`),
          })),
        });
    },
  },
];

const patches: readonly Attack[] = [
  {
    name: 'JSON Patch: 1,000 additions at the head of 200,000 items',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      return () =>
        patch(
          target,
          id,
          list(1000, () => ({ op: 'add', path: '/items/0', value: 0 })),
        );
    },
  },
  {
    name: 'JSON Patch: 1,000 removals at the head of 200,000 items',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      return () =>
        patch(
          target,
          id,
          list(1000, () => ({ op: 'remove', path: '/items/0' })),
        );
    },
  },
  {
    name: 'JSON Patch: 1,000 tests of a mebibyte, four times',
    ready: async (target) => {
      const data = { a: list(10_000, () => 1), b: list(10_000, () => 1) };
      const id = await stateOf(target, data);
      const value = list(1500, () => 1);
      await put(target, id, { a: value, b: value });
      const operations = list(1000, () => ({ op: 'test', path: '/a', value }));
      return () => many(4, 1, () => patch(target, id, operations));
    },
  },
  {
    name: 'JSON Patch: 999 copies and a failing test',
    ready: async (target) => {
      const id = await stateOf(target, { a: list(500, () => 1), o: {} });
      return () =>
        patch(target, id, [
          ...list(999, (at) => ({ op: 'copy', from: '/a', path: `/o/k${String(at)}` })),
          { op: 'test', path: '/a', value: 0 },
        ]);
    },
  },
  {
    name: 'JSON Patch: copy and change by turns of 60,000 members',
    ready: async (target) => {
      const id = await stateOf(target, { o: members(60_000, () => 1) });
      return () =>
        patch(
          target,
          id,
          list(1000, (at) =>
            at % 2 === 0
              ? { op: 'move', from: at % 4 === 0 ? '/o' : '/p', path: at % 4 === 0 ? '/p' : '/o' }
              : { op: 'add', path: at % 4 === 1 ? `/p/x${String(at)}` : `/o/x${String(at)}`, value: 1 },
          ),
        );
    },
  },
  {
    name: 'JSON Patch: moves inside of 60,000 members',
    ready: async (target) => {
      const id = await stateOf(target, { o: members(60_000, () => 1) });
      return () =>
        patch(
          target,
          id,
          list(1000, (at) => ({ op: 'move', from: `/o/m${String(at)}`, path: `/o/n${String(at)}` })),
        );
    },
  },
  {
    name: 'JSON Patch: copies that share, each changed',
    ready: async (target) => {
      const id = await stateOf(target, { a: members(30_000, () => 1) });
      return () =>
        patch(
          target,
          id,
          list(1000, (at) =>
            at % 3 === 0
              ? { op: 'copy', from: '/a', path: '/b' }
              : at % 3 === 1
                ? { op: 'add', path: `/a/m${String(at)}`, value: at }
                : { op: 'add', path: `/b/m${String(at)}`, value: at },
          ),
        );
    },
  },
  {
    name: 'merge patch of 100,000 new members',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      return () =>
        target.call(
          'PATCH',
          `/workflow-states/${id}`,
          members(95_000, () => 1),
          MERGE_PATCH,
        );
    },
  },
  {
    name: 'merge patch of 100,000 changed members',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(95_000, () => 1),
      );
      return () =>
        target.call(
          'PATCH',
          `/workflow-states/${id}`,
          members(95_000, () => 2),
          MERGE_PATCH,
        );
    },
  },
  {
    name: 'merge patch of 300,000 members that are not there',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(95_000, () => 1),
      );
      return () =>
        target.call(
          'PATCH',
          `/workflow-states/${id}`,
          members(300_000, () => null, 'q'),
          MERGE_PATCH,
        );
    },
  },
];

const many60k = () => ({ items: list(45_000, (at) => ({ id: at })) });

const documents: readonly Attack[] = [
  ...(
    [
      ['uniqueItems of objects', { properties: { items: { uniqueItems: true } } }, many60k()],
      [
        'uniqueItems of numbers',
        { properties: { items: { uniqueItems: true, items: { type: 'number' } } } },
        { items: list(150_000, (at) => at) },
      ],
      [
        'x-key',
        {
          properties: {
            items: {
              type: 'array',
              'x-key': 'id',
              items: { type: 'object', properties: { id: { type: 'integer', 'x-immutable': true } } },
            },
          },
        },
        many60k(),
      ],
      ['x-append-only', { properties: { items: { type: 'array', 'x-append-only': true } } }, many60k()],
      [
        'patternProperties',
        { patternProperties: { '^m[0-9]+$': { type: 'integer' }, '7$': { minimum: 0 } } },
        members(60_000, (at) => at),
      ],
      [
        'oneOf of 20',
        {
          properties: {
            items: {
              items: {
                oneOf: list(20, (at) => ({ properties: { kind: { const: at } }, required: ['kind'] })),
              },
            },
          },
        },
        { items: list(40_000, (at) => ({ kind: at % 20 })) },
      ],
      [
        'propertyNames',
        { propertyNames: { pattern: '^(m|k)[0-9]+$', maxLength: 20 } },
        members(60_000, (at) => at),
      ],
      ['nothing', {}, { items: list(330_000, () => []) }],
    ] as const
  ).map(([what, schema, data]): Attack => ({
    name: `documents of a mebibyte under ${what}: create, change, replace`,
    ready: async (target) => {
      const json = { type: 'object', properties: {}, ...schema };
      const id = await stateOf(target, { n: 0 }, json);
      return async () => {
        await put(target, id, data);
        await put(target, id, { ...data, n: 2 });
        await target.call('POST', `/workflow-states/${id}/ops`, {
          operations: [{ op: 'set', pointer: '/n', value: 4 }],
        });
      };
    },
  })),
  {
    name: '1,000 PUTs of a mebibyte to one state',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      const texts = list(10, (at) =>
        JSON.stringify({ data: { items: list(20_000, (n) => ({ name: `item ${String(n + at)}` })) } }),
      );
      return () => many(300, 300, (at) => target.call('PUT', `/workflow-states/${id}`, texts[at % 10]));
    },
  },
  {
    name: '300 PUTs of a mebibyte to 30 states',
    ready: async (target) => {
      const ids: string[] = [];
      for (let at = 0; at < 30; at += 1) ids.push(await stateOf(target, { n: 0 }));
      const texts = list(10, (at) =>
        JSON.stringify({ data: { items: list(20_000, (n) => ({ name: `item ${String(n + at)}` })) } }),
      );
      return () =>
        many(300, 300, (at) => target.call('PUT', `/workflow-states/${ids[at % 30] ?? ''}`, texts[at % 10]));
    },
  },
  {
    name: '300 PUTs of one text of 900 KB to 30 states',
    ready: async (target) => {
      const ids: string[] = [];
      for (let at = 0; at < 30; at += 1) ids.push(await stateOf(target, { n: 0 }));
      const texts = list(10, (at) => JSON.stringify({ data: { text: String(at).repeat(900_000) } }));
      return () =>
        many(300, 300, (at) => target.call('PUT', `/workflow-states/${ids[at % 30] ?? ''}`, texts[at % 10]));
    },
  },
];

const reads: readonly Attack[] = [
  {
    name: 'diff of far versions of 200,000 scalars, 5 times',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      await put(target, id, scalars(200_000, 2));
      return () => many(5, 5, () => target.call('GET', `/workflow-states/${id}/diff?from=1&to=2`));
    },
  },
  {
    name: '200 reads of 30 earlier versions',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0, items: list(40_000, (at) => ({ v: at })) });
      for (const at of list(30, (n) => n)) {
        await target.call('POST', `/workflow-states/${id}/ops`, {
          operations: [{ op: 'set', pointer: '/n', value: at + 1 }],
        });
      }
      return () =>
        many(200, 200, (at) =>
          target.call('GET', `/workflow-states/${id}?at_version=${String((at % 29) + 1)}`),
        );
    },
  },
  {
    name: '200 reads at a pointer of earlier versions',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0, items: list(40_000, (at) => ({ v: at })) });
      for (const at of list(30, (n) => n)) {
        await target.call('POST', `/workflow-states/${id}/ops`, {
          operations: list(500, (n) => ({ op: 'set', pointer: `/items/${String(n * 7)}/v`, value: at + 1 })),
        });
      }
      return () =>
        many(200, 200, (at) =>
          target.call('GET', `/workflow-states/${id}?at_version=${String((at % 29) + 1)}&pointer=/n`),
        );
    },
  },
  {
    name: 'reverts and migrations of a mebibyte',
    ready: async (target) => {
      const id = await stateOf(target, scalars(200_000, 1));
      await put(target, id, scalars(200_000, 2));
      return async () => {
        await many(10, 10, (at) =>
          target.call('POST', `/workflow-states/${id}/revert`, { to_version: (at % 2) + 1 }),
        );
        await many(10, 10, () =>
          target.call('POST', `/workflow-states/${id}/migrate?dry_run=true`, { schema_version: 1 }),
        );
      };
    },
  },
  {
    name: 'histories of large patches, 50 at a time',
    ready: async (target) => {
      const id = await stateOf(target, scalars(100_000, 0));
      for (const at of list(12, (n) => n)) await put(target, id, scalars(100_000, at + 1));
      return () => many(100, 50, () => target.call('GET', `/workflow-states/${id}/events?limit=1000`));
    },
  },
  {
    name: 'lists with data, 20 at a time',
    ready: async (target) => {
      for (let at = 0; at < 20; at += 1) await stateOf(target, scalars(200_000, at % 10));
      return () => many(60, 20, () => target.call('GET', '/workflow-states?include=data&limit=1000'));
    },
  },
  {
    name: '200 reads of a mebibyte, whole',
    ready: async (target) => {
      const id = await stateOf(target, scalars(400_000, 1));
      return () => many(400, 200, () => target.call('GET', `/workflow-states/${id}`));
    },
  },
  {
    name: 'replays of large answers',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      const headers = { 'idempotency-key': 'one' };
      const body = { data: scalars(200_000, 3) };
      await target.call('PUT', `/workflow-states/${id}`, body, headers);
      return () => many(100, 100, () => target.call('PUT', `/workflow-states/${id}`, body, headers));
    },
  },
  {
    name: 'key view of 60,000 keys: all, events, batch',
    ready: async (target) => {
      const { stateId, root } = await treeOf(
        target,
        members(60_000, () => 1),
      );
      for (const at of list(10, (n) => n)) {
        await target.call('POST', `/workflow-states/${stateId}/ops`, {
          operations: list(1000, (n) => ({ op: 'set', pointer: `/m${String(n * 50)}`, value: at + 5 })),
        });
      }
      return async () => {
        await many(20, 20, () => target.call('GET', `/sessions/${root}/state`));
        await many(20, 20, () => target.call('GET', `/sessions/${root}/state/events?limit=1000`));
        await many(200, 200, (at) => target.call('GET', `/sessions/${root}/state/keys/m${String(at * 13)}`));
        await many(4, 2, (n) =>
          target.call('POST', `/sessions/${root}/state/batch`, {
            operations: list(1000, (at) => ({ operation: 'set', key: `m${String(at)}`, value: n })),
          }),
        );
      };
    },
  },
];

const sessions: readonly Attack[] = [
  {
    name: 'tree of 5,000 sessions, 20 times',
    ready: async (target) => {
      const root = await target.must('POST', '/sessions', { session_name: fresh('wide'), external: true });
      await many(5000, 50, () =>
        target.call('POST', '/sessions', { parent_session_id: root.session_id, external: true }),
      );
      return () => many(20, 20, () => target.call('GET', `/sessions/${String(root.session_id)}/tree`));
    },
  },
  {
    name: 'schema dry run that is held against 1,000 states',
    ready: async (target) => {
      const name = fresh('living');
      const json_schema = { type: 'object', properties: { items: { type: 'array' } } };
      await target.must('POST', '/workflow-schemas', { name, json_schema });
      await many(300, 20, async () => {
        const root = await target.must('POST', '/sessions', { session_name: fresh('alive'), external: true });
        await target.must('POST', '/workflow-states', {
          schema_name: name,
          root_session_id: root.session_id,
          initial_data: { items: list(10_000, (at) => ({ v: at })) },
        });
      });
      return () =>
        many(3, 3, (at) =>
          target.call('POST', '/workflow-schemas?dry_run=true', {
            name,
            json_schema: {
              type: 'object',
              properties: { items: { type: 'array', items: { minProperties: at + 2 } } },
            },
          }),
        );
    },
  },
  {
    name: '300 conversations that stop with a result of 256 KB',
    ready: async (target) => {
      const root = await target.must('POST', '/sessions', { session_name: fresh('host'), external: true });
      const ids: string[] = [];
      await many(300, 20, async () => {
        const child = await target.must('POST', '/sessions', {
          parent_session_id: root.session_id,
          external: true,
          callback: true,
          delivery: 'pull',
        });
        ids.push(child.session_id);
      });
      return async () => {
        await many(300, 100, (at) =>
          target.call('POST', `/sessions/${ids[at] ?? ''}/events`, {
            type: 'session_stop',
            result_text: '<agent-callback>\u202e'.repeat(11_000),
          }),
        );
        await many(300, 100, () => target.call('GET', `/sessions/${String(root.session_id)}/callbacks`));
      };
    },
  },
];

const requests: readonly Attack[] = [
  {
    name: 'bodies of 4 MB: nested, broken, of many numbers',
    ready: async (target) => {
      const id = await stateOf(target, { n: 0 });
      const texts = [
        `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`,
        `{"data": ${'{"a":'.repeat(600_000)}1${'}'.repeat(600_000)}}`,
        `{"data": {"items": [${'1,'.repeat(1_900_000)}x]}}`,
        `{"data": {"items": [${'1,'.repeat(1_900_000)}1]}}`,
        `{"data": {"text": "${'\\u0041'.repeat(600_000)}\n"}}`,
        `{"data": {"items": [${'{},'.repeat(1_200_000)}{}]}}`,
      ];
      return () =>
        many(30, 10, (at) => target.call('PUT', `/workflow-states/${id}`, texts[at % texts.length]));
    },
  },
  {
    name: '2,000 requests in one pipeline',
    ready: async (target) => {
      const id = await stateOf(target, scalars(100_000, 1));
      return async () => {
        const one = `GET /workflow-states/${id} HTTP/1.1\r\nHost: 127.0.0.1:${String(target.port)}\r\n\r\n`;
        const socket = await target.raw(one.repeat(2000));
        socket.pause();
        await pause(3000);
        socket.destroy();
      };
    },
  },
  {
    name: 'many parameters and headers',
    ready: (target) =>
      Promise.resolve(() =>
        many(200, 50, (at) =>
          target.call(
            'GET',
            `/workflow-states?${list(2000, (n) => `p${String(n)}=1`).join('&')}`,
            undefined,
            members(at % 2 === 0 ? 300 : 10, () => 'x'.repeat(30), 'x-h'),
          ),
        ),
      ),
  },
  {
    name: 'MCP: writes and reads of a mebibyte',
    ready: async (target) => {
      const id = await stateOf(
        target,
        members(60_000, () => 1),
      );
      const call = (name: string, args: object) =>
        target.call(
          'POST',
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
          { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
        );
      return async () => {
        await many(50, 50, () => call('state_read', { state_id: id }));
        await many(5, 5, (n) => call('state_write', { state_id: id, data: members(60_000, () => n) }));
        await many(5, 5, (n) =>
          call('state_patch', {
            state_id: id,
            operations: list(1000, (at) => ({ op: 'add', path: `/m${String(at)}`, value: n })),
          }),
        );
      };
    },
  },
];

export const ATTACKS: readonly Attack[] = [
  ...streams,
  ...conditions,
  ...merges,
  ...operators,
  ...patches,
  ...documents,
  ...reads,
  ...sessions,
  ...requests,
];
