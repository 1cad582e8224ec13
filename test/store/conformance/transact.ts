// Atomicity, grouping, revisions, constraints, notifications, settings, closing.
import { expect, it } from 'vitest';
import type { Damage } from '../../../src/domain/damage/damage.js';
import type { Change, Changeset } from '../../../src/domain/transactions/changeset.js';
import {
  aCallback,
  aCompletion,
  aRun,
  aRunner,
  aSchema,
  aSession,
  aSnapshot,
  aState,
  aTree,
  anEvent,
  childOf,
  next,
} from '../records.js';
import { load, write, type Subject } from './subject.js';

const root = aSession();
const insertRoot: Change = { put: 'session', record: root };

export function conformTransact({ store, errors }: Subject): void {
  it('answers with the value of the decision', async () => {
    expect(await store().transact([], () => ({ changes: [insertRoot], value: 42 }))).toBe(42);
    expect(await store().read.session('ses_root')).toEqual(root);
  });

  it('writes a changeset as a whole or not at all', async () => {
    const twice: Changeset = [
      { put: 'tree', record: aTree() },
      insertRoot,
      { put: 'session', record: aSession({ sessionId: 'ses_other', sessionName: 'ses_root' }) },
    ];
    await expect(write(store(), ...twice)).rejects.toThrow();
    expect(await store().read.session('ses_root')).toBeNull();
    expect(await store().read.tree('ses_root')).toBeNull();
  });

  const CONTRADICTIONS: readonly [string, Change, Damage][] = [
    [
      'a session whose name another one has',
      { put: 'session', record: aSession({ sessionId: 'ses_2', sessionName: 'ses_root' }) },
      { kind: 'session', id: expect.any(String), column: 'session_name', what: expect.any(String) },
    ],
    [
      'a state of a tree that has one, and does not name it',
      { put: 'state', record: aState({ stateId: 'wst_2' }) },
      { kind: 'tree', id: 'ses_root', column: 'state_id', what: expect.any(String) },
    ],
  ];
  it.each(CONTRADICTIONS)('refuses as damaged what no rule has refused: %s', async (_, change, damage) => {
    await write(store(), { put: 'tree', record: aTree() }, insertRoot, { put: 'state', record: aState() });
    const second = write(store(), change);
    await expect(second).rejects.toMatchObject({ name: 'RecordDamagedError', damage });
    await write(store(), { put: 'session', record: next(root) });
    expect(await store().read.session('ses_root')).toMatchObject({ revision: 2 });
  });

  it('shows a decision what the decisions before it in the same commit have changed', async () => {
    const parent = aSession({ external: true });
    await write(store(), { put: 'tree', record: aTree() }, { put: 'session', record: parent });
    const loads = [
      { load: 'aggregateNamed', idOrName: 'ses_root' },
      { load: 'aggregateNamed', idOrName: 'twice' },
      { load: 'sessionCount', rootSessionId: 'ses_root' },
    ] as const;
    const names = [...Array.from({ length: 20 }, (_, i) => `child-${String(i)}`), 'twice', 'twice'];
    const answers = names.map((sessionName, i) =>
      store().transact<string>(loads, (records) => {
        const taken = records.sessionIds.has('twice');
        if (sessionName === 'twice' && taken) return { changes: [], value: 'taken' };
        const child = childOf(parent, `ses_${String(i)}`, { sessionName });
        const aggregate = records.aggregates.get('ses_root');
        const callback = aCallback(parent, child, { callbackId: `cb_${String(i)}` });
        return {
          changes: [
            { put: 'session', record: child },
            { put: 'callback', record: callback },
          ],
          value: `${String(records.sessionCounts.get('ses_root'))} ${String(aggregate?.inbox.length)}`,
        };
      }),
    );
    const expected = Array.from({ length: 21 }, (_, i) => `${String(i + 1)} ${String(i)}`);
    expect(await Promise.all(answers)).toEqual([...expected, 'taken']);
    const { aggregates } = await load(store(), { load: 'aggregate', sessionId: 'ses_root' });
    const inbox = aggregates.get('ses_root')?.inbox ?? [];
    expect(inbox.map((one) => one.callbackId)).toEqual(names.slice(0, 21).map((_, i) => `cb_${String(i)}`));
    expect((await store().read.session('twice'))?.sessionId).toBe('ses_20');
  });

  it('frees the name of a session for those that follow in the same commit', async () => {
    const parent = aSession();
    const first = childOf(parent, 'ses_1', { sessionName: 'reviewer' });
    const second = childOf(parent, 'ses_2', { sessionName: 'reviewer' });
    await write(store(), { put: 'tree', record: aTree() }, insertRoot, { put: 'session', record: first });
    const named = (changes: Changeset) =>
      store().transact<string | undefined>(
        [{ load: 'aggregateNamed', idOrName: 'reviewer' }],
        ({ sessionIds }) => ({ changes, value: sessionIds.get('reviewer') }),
      );
    const found = await Promise.all([
      named([{ put: 'session', record: next(first, { deletedAt: 1 }) }]),
      named([{ put: 'session', record: second }]),
      named([]),
    ]);
    expect(found).toEqual(['ses_1', undefined, 'ses_2']);
    expect((await store().read.session('reviewer'))?.sessionId).toBe('ses_2');
  });

  it('keeps the newest read cursor of a session on a state, until the state goes', async () => {
    const mark = { sessionId: 'ses_root', stateId: 'sta_1', version: 1, own: null, ownVersion: 1, parts: [] };
    const newer = {
      ...mark,
      version: 2,
      own: [{ op: 'add', path: '/a', value: [null] }] as const,
      ownVersion: 4,
      parts: [{ pointer: '/b', version: 5 }],
    };
    const other = { ...mark, sessionId: 'ses_other' };
    await write(store(), { put: 'state', record: aState({ stateId: 'sta_1' }) });
    await store().saveReadCursors([mark]);
    await store().saveReadCursors([other, newer]);
    expect(await store().read.readCursor('ses_root', 'sta_1')).toEqual(newer);
    expect(await store().read.readCursor('ses_other', 'sta_1')).toEqual(other);
    expect(await store().read.readCursor('ses_root', 'sta_2')).toBeNull();
    await write(store(), { remove: 'state', id: 'sta_1' });
    await store().saveReadCursors([other]);
    for (const sessionId of ['ses_root', 'ses_other'])
      expect(await store().read.readCursor(sessionId, 'sta_1')).toBeNull();
  });

  it('keeps every character of a text', async () => {
    const prompt = 'a\0b\u001a0 \u001a \u{10ffff} "\\u0000" \r\n\ufeff';
    const metadata = { prompt, '\0': ['\ud800'] };
    const run = aRun(root, 'run_1', { prompt, metadata });
    await write(store(), insertRoot, { put: 'run', record: run });
    expect(await store().read.run('run_1')).toEqual(run);
  });

  it('replaces exactly the revision before', async () => {
    await write(store(), insertRoot);
    await write(store(), { put: 'session', record: next(root, { status: 'finished' }) });
    expect(await store().read.session('ses_root')).toEqual({ ...root, status: 'finished', revision: 2 });
  });

  it('refuses a change of a revision that is not there any more, and writes nothing of it', async () => {
    await write(store(), insertRoot);
    await write(store(), { put: 'session', record: next(root) });
    const stale: Changeset = [
      { put: 'runner', record: aRunner() },
      { put: 'session', record: next(root, { status: 'failed' }) },
    ];
    await expect(write(store(), ...stale)).rejects.toThrow(/revision 1/);
    expect((await store().read.session('ses_root'))?.status).toBe('running');
    expect(await store().read.runner('rnr_1')).toBeNull();
  });

  it('refuses a change of a record that is not there', async () => {
    await expect(write(store(), { put: 'session', record: next(root) })).rejects.toThrow(/revision 1/);
  });

  it('refuses a second insert of a record', async () => {
    await write(store(), insertRoot);
    await expect(
      write(store(), { put: 'session', record: aSession({ sessionName: 'other' }) }),
    ).rejects.toThrow();
  });

  it('shows a request what earlier requests of its group wrote', async () => {
    await write(store(), { put: 'state', record: aState() });
    const bump = () =>
      store().transact([{ load: 'state', stateId: 'wst_1' }], ({ states }) => {
        const head = states.get('wst_1')!;
        return {
          changes: [{ put: 'state', record: next(head, { version: head.version + 1 }) }],
          value: head.version + 1,
        };
      });
    expect(await Promise.all(Array.from({ length: 1000 }, bump))).toEqual(
      Array.from({ length: 1000 }, (_, i) => i + 2),
    );
  });

  it('fails only the request whose decision throws', async () => {
    const results = await Promise.allSettled([
      write(store(), insertRoot),
      store().transact([], () => {
        throw new Error('a bug');
      }),
      write(store(), { put: 'tree', record: aTree() }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store().read.session('ses_root')).not.toBeNull();
    expect(await store().read.tree('ses_root')).not.toBeNull();
  });

  it('fails only the request whose write breaks a constraint', async () => {
    const results = await Promise.allSettled([
      write(store(), insertRoot),
      write(store(), { put: 'tree', record: aTree() }, insertRoot),
      write(store(), { put: 'runner', record: aRunner() }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store().read.session('ses_root')).not.toBeNull();
    expect(await store().read.tree('ses_root')).toBeNull();
    expect(await store().read.runner('rnr_1')).not.toBeNull();
  });

  it('commits what was gathered with all that came with it', async () => {
    const heard: Changeset[] = [];
    const stop = store().subscribe((changes) => heard.push(changes));
    const put = (runnerId: string) => () => ({
      changes: [{ put: 'runner', record: aRunner({ runnerId }) }] as const,
      value: runnerId,
    });
    const late = Promise.resolve()
      .then(() => undefined)
      .then(() => store().transact([], put('rnr_b'), true));
    const first = store().transact([], put('rnr_a'), true);
    const plain = store().transact([], put('rnr_c'));
    const heardWhenAnswered = first.then(() => heard.length);
    expect(await Promise.all([first, late, plain])).toEqual(['rnr_a', 'rnr_b', 'rnr_c']);
    expect(await heardWhenAnswered).toBe(3);
    stop();
    for (const id of ['rnr_a', 'rnr_b', 'rnr_c']) expect(await store().read.runner(id)).not.toBeNull();
  });

  it('tells a subscriber every change once, in the order of the commits, before it answers', async () => {
    const heard: string[] = [];
    const stop = store().subscribe((changes) => {
      for (const change of changes)
        if ('put' in change && change.put === 'runner') heard.push(change.record.runnerId);
    });
    const ids = ['rnr_a', 'rnr_b', 'rnr_c'];
    await Promise.allSettled([
      ...ids.map((runnerId) =>
        write(store(), { put: 'runner', record: aRunner({ runnerId }) }).then(() =>
          heard.push(`${runnerId} answered`),
        ),
      ),
      write(store(), { put: 'runner', record: aRunner({ runnerId: 'rnr_a' }) }),
    ]);
    stop();
    await write(store(), { put: 'runner', record: aRunner({ runnerId: 'rnr_d' }) });
    expect(heard).toEqual([...ids, ...ids.map((id) => `${id} answered`)]);
  });

  it('tells subscribers nothing where nothing was written', async () => {
    const heard: Changeset[] = [];
    store().subscribe((changes) => heard.push(changes));
    await write(store());
    expect(heard).toEqual([]);
  });

  it('goes on where a subscriber throws, and reports it', async () => {
    const heard: Changeset[] = [];
    store().subscribe(() => {
      throw new Error('deaf');
    });
    store().subscribe((changes) => heard.push(changes));
    await write(store(), insertRoot);
    expect(heard).toHaveLength(1);
    expect(errors).toEqual([new Error('deaf')]);
  });

  it('loads what a decision asks for, and makes it again', async () => {
    const child = childOf(root, 'ses_child');
    await write(store(), insertRoot, { put: 'session', record: child }, { put: 'runner', record: aRunner() });
    const seen: boolean[] = [];
    const answer = await store().transact([{ load: 'aggregate', sessionId: 'ses_child' }], (records) => {
      seen.push(records.aggregates.has('ses_child'));
      if (records.runners.size === 0) return { more: [{ load: 'runner', runnerId: 'rnr_1' }] };
      return { changes: [], value: records.runners.get('rnr_1')?.hostname };
    });
    expect(answer).toBe('host-a');
    expect(seen).toEqual([true, true]);
  });

  it('gives up on a decision that never has enough', async () => {
    await expect(store().transact([], () => ({ more: [] }))).rejects.toThrow(/asked for more/);
    await write(store(), insertRoot);
  });

  it('removes a state with its events and snapshots', async () => {
    await write(
      store(),
      { put: 'event', record: anEvent() },
      { put: 'snapshot', record: aSnapshot() },
      { put: 'state', record: aState() },
    );
    await write(store(), { remove: 'state', id: 'wst_1' });
    expect(await store().read.state('wst_1')).toBeNull();
    expect(await store().read.document('wst_1')).toBeNull();
    await write(store(), { put: 'state', record: aState() }, { put: 'event', record: anEvent() });
    expect((await store().read.events('wst_1', 0, 10, 1000)).events).toEqual([anEvent()]);
    await expect(store().read.document('wst_1')).rejects.toThrow(/has no snapshot/);
  });

  it('removes a schema and a runner', async () => {
    await write(store(), { put: 'schema', record: aSchema() }, { put: 'runner', record: aRunner() });
    await write(store(), { remove: 'schema', id: 'sch_1' }, { remove: 'runner', id: 'rnr_1' });
    expect(await store().read.schemaById('sch_1')).toBeNull();
    expect(await store().read.runner('rnr_1')).toBeNull();
  });

  it.each<[string, Change, Change]>([
    [
      'state of a tree',
      { put: 'state', record: aState() },
      { put: 'state', record: aState({ stateId: 'wst_2' }) },
    ],
    [
      'callback of a child and generation',
      { put: 'callback', record: aCallback(root, childOf(root, 'ses_c')) },
      { put: 'callback', record: aCallback(root, childOf(root, 'ses_c'), { callbackId: 'cb_2' }) },
    ],
    [
      'completion of a session and generation',
      { put: 'completion', record: aCompletion(root) },
      { put: 'completion', record: aCompletion(root) },
    ],
    [
      'version of a schema name',
      { put: 'schema', record: aSchema() },
      { put: 'schema', record: aSchema({ schemaId: 'sch_2' }) },
    ],
    [
      'live session of a name',
      insertRoot,
      { put: 'session', record: aSession({ sessionId: 'ses_2', sessionName: 'ses_root' }) },
    ],
  ])('keeps one %s', async (_what, first, second) => {
    await write(store(), first);
    await expect(write(store(), second)).rejects.toThrow();
  });

  it('keeps one event of a version', async () => {
    await write(store(), { put: 'state', record: aState() }, { put: 'event', record: anEvent() });
    await expect(write(store(), { put: 'event', record: anEvent({ eventId: 'evt_x' }) })).rejects.toThrow();
  });

  it('gives the name of a deleted session to another', async () => {
    await write(store(), insertRoot);
    await write(store(), { put: 'session', record: next(root, { deletedAt: 5 }) });
    const heir = aSession({ sessionId: 'ses_heir', sessionName: 'ses_root' });
    await write(store(), { put: 'session', record: heir });
    expect(await store().read.session('ses_root')).toEqual(heir);
  });

  it('makes a setting once, also where many ask at once', async () => {
    let made = 0;
    const ask = () => store().setting('secret', () => `made ${++made}`);
    expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(new Set(['made 1']));
    expect(await store().setting('other', () => 'b')).toBe('b');
  });

  it('is writable', async () => {
    expect(await store().health()).toBe('ok');
  });

  it('finishes what waits when it is closed, and takes nothing more', async () => {
    const last = write(store(), insertRoot);
    const closed = store().close();
    await expect(write(store(), { put: 'runner', record: aRunner() })).rejects.toThrow(/closed/);
    await expect(last).resolves.toBeUndefined();
    await closed;
    await expect(load(store(), { load: 'runner', runnerId: 'rnr_1' })).rejects.toThrow(/closed/);
    await expect(store().read.session('ses_root')).rejects.toThrow();
  });
}
