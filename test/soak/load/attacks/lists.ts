// Lists: long ones, with data, with filters, and followed page by page.
import type { Target } from '../target.js';
import { AttackedState, each, fresh, many, scalars, type Attack } from '../kit.js';

const RECORDS = 3000;

/** Every page of a list. */
async function pagesOf(target: Target, path: string): Promise<void> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { body: any } = await target.call('GET', `${path}${more}`);
    cursor = page.body.next_cursor ?? null;
  }
}

export const lists: readonly Attack[] = [
  {
    name: 'lists with data, 20 at a time',
    async ready(target) {
      await each(20, (at) => AttackedState.open(target, scalars(200_000, at % 10)));
      return () => many(60, 20, () => target.call('GET', '/workflow-states?include=data&limit=1000'));
    },
  },
  {
    name: 'lists of 3,000 sessions, runs, states and schemas with filters, 100 at a time',
    async ready(target) {
      const { root, id } = await AttackedState.open(target, {});
      await many(RECORDS, 50, () =>
        target.call('POST', '/runs', {
          type: 'start_session',
          session_name: fresh('child'),
          parent_session_id: root,
          prompt: 'go',
        }),
      );
      await many(RECORDS / 10, 20, (at) =>
        target.call('POST', '/workflow-schemas', { name: fresh('name'), json_schema: { minProperties: at } }),
      );
      const paths = [
        `/sessions?root_session=${root}&limit=1000`,
        `/sessions?parent_session=${root}&status=pending&limit=1000`,
        '/sessions?status=failed&limit=1000',
        '/runs?status=pending&limit=1000',
        '/runs?status=failed&limit=1000',
        `/runs?session=${root}&limit=1000`,
        '/callbacks?status=dead&limit=1000',
        '/workflow-states?schema=none&limit=1000',
        '/workflow-states?orphaned=true&limit=1000',
        '/workflow-schemas?limit=1000',
        `/workflow-states/${id}/events?limit=1000`,
      ];
      return () => many(300, 100, (at) => pagesOf(target, paths[at % paths.length] ?? ''));
    },
  },
  {
    name: '500 lists of one item a page, each followed for 100 pages',
    async ready(target) {
      await many(1000, 50, () =>
        target.call('POST', '/sessions', { session_name: fresh('one'), external: true }),
      );
      return () =>
        many(500, 500, async () => {
          let cursor = '';
          await each(100, async () => {
            const { body } = await target.call('GET', `/sessions?limit=1${cursor}`);
            cursor = `&cursor=${encodeURIComponent(String(body.next_cursor))}`;
          });
        });
    },
  },
];
