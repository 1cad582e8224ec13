// The order of lists, and the search for states.
import { expect, it } from 'vitest';
import type { PageRequest } from '../../../src/ports/storage/page.js';
import { BadCursorError } from '../../../src/ports/storage/reader.js';
import { aCallback, aCompletion, aRun, aSession, aState, childOf } from '../records.js';
import { all, write, type Subject } from './subject.js';

const root = aSession();
const kids = ['a', 'b', 'c', 'd', 'e'].map((id) => childOf(root, id));
const newest = { order: 'newest' } as const;

export function conformLists({ store }: Subject): void {
  const insert = () =>
    write(
      store(),
      { put: 'session', record: root },
      ...kids.flatMap((record) => [
        { put: 'session', record } as const,
        { put: 'completion', record: aCompletion(record) } as const,
        { put: 'run', record: aRun(record, `run_${record.sessionId}`) } as const,
        { put: 'callback', record: aCallback(root, record) } as const,
      ]),
    );

  it('gives each list from its newest record to its oldest, page by page', async () => {
    await insert();
    const { read } = store();
    const ids = ['e', 'd', 'c', 'b', 'a'];
    const sessions = await all((request) => read.sessions({}, { ...request, ...newest }));
    expect(sessions.map((one) => one.sessionId)).toEqual([...ids, 'ses_root']);
    const completions = await all((request) => read.completions({}, { ...request, ...newest }));
    expect(completions.map((one) => one.sessionId)).toEqual(ids);
    const runs = await all((request) => read.runs({}, { ...request, ...newest }));
    expect(runs.map((one) => one.sessionId)).toEqual(ids);
    const callbacks = await all((request) => read.callbacks({}, { ...request, ...newest }));
    expect(callbacks.map((one) => one.childSessionId)).toEqual(ids);
    const ofOne = await all((request) => read.callbacks({ childSessionId: kids[1]!.sessionId }, request));
    expect(ofOne.map((one) => one.childSessionId)).toEqual(['b']);
  });

  it('takes a cursor for the order that it is of alone', async () => {
    await insert();
    const { read } = store();
    const cursorOf = async (request: Omit<PageRequest, 'limit' | 'cursor'>) =>
      (await read.runs({}, { limit: 1, cursor: null, ...request })).nextCursor;
    const [oldest, latest] = [await cursorOf({}), await cursorOf(newest)];
    await expect(read.runs({}, { limit: 1, cursor: oldest, ...newest })).rejects.toThrow(BadCursorError);
    await expect(read.runs({}, { limit: 1, cursor: latest })).rejects.toThrow(BadCursorError);
  });

  it('gives states from the last changed on, page by page, and those of one moment by their creation', async () => {
    const times = [5_000, 9_000, 7_000, 7_000, 1_000];
    for (const [i, updatedAt] of times.entries()) {
      const id = `ses_${String(i)}`;
      const session = aSession({ sessionId: id, sessionName: id, rootSessionId: id });
      const state = aState({ stateId: `sta_${String(i)}`, rootSessionId: id, updatedAt });
      await write(store(), { put: 'session', record: session }, { put: 'state', record: state });
    }
    const { read } = store();
    const changed = { order: 'changed' } as const;
    const ids = (states: readonly { readonly stateId: string }[]) => states.map(({ stateId }) => stateId);
    const given = await all((request) => read.states({}, { ...request, ...changed }));
    expect(ids(given)).toEqual(['sta_1', 'sta_3', 'sta_2', 'sta_0', 'sta_4']);
    const since = await all((request) => read.states({ updatedSince: 7_000 }, { ...request, ...changed }));
    expect(ids(since)).toEqual(['sta_1', 'sta_3', 'sta_2']);
    const { nextCursor } = await read.states({}, { limit: 1, cursor: null, ...changed });
    await expect(read.states({}, { limit: 1, cursor: nextCursor, ...newest })).rejects.toThrow(
      BadCursorError,
    );
    const forged = Buffer.from('["states:changed",1,"x"]').toString('base64url');
    await expect(read.states({}, { limit: 1, cursor: forged, ...changed })).rejects.toThrow(BadCursorError);
  });

  it('finds states by the start of the name of their root, or by their id, in either order', async () => {
    const named = ['release-1', 'release-2', 'Release-3', 'other', 'releasd'];
    for (const [i, sessionName] of named.entries()) {
      const session = aSession({
        sessionId: `ses_${String(i)}`,
        sessionName,
        rootSessionId: `ses_${String(i)}`,
      });
      const state = aState({ stateId: `sta_${String(i)}`, rootSessionId: session.sessionId });
      await write(store(), { put: 'session', record: session }, { put: 'state', record: state });
    }
    const found = async (search: string, order = {}) =>
      (await all((request) => store().read.states({ search }, { ...request, ...order }))).map(
        (one) => one.stateId,
      );
    expect(await found('release')).toEqual(['sta_0', 'sta_1']);
    expect(await found('release', newest)).toEqual(['sta_1', 'sta_0']);
    expect(await found('R')).toEqual(['sta_2']);
    expect(await found('sta_3')).toEqual(['sta_3']);
    expect(await found('%')).toEqual([]);
  });
}
