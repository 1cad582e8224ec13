// Single records, lists with their filters and pages, timers, counts.
import { expect, it } from 'vitest';
import type { Completion, CompletionStatus } from '../../../src/domain/records/records.js';
import { BadCursorError, type Reader } from '../../../src/ports/storage/reader.js';
import type { PageRequest } from '../../../src/ports/storage/page.js';
import {
  NOW,
  aCallback,
  aCompletion,
  aRun,
  aRunner,
  aSchema,
  aSession,
  aState,
  aToken,
  aTree,
  childOf,
  completionSettings,
  next,
} from '../records.js';
import { all, load, write, type Subject } from './subject.js';

const root = aSession();
const kids = ['a', 'b', 'c', 'd', 'e'].map((id, i) =>
  childOf(root, id, { status: i % 2 === 0 ? 'running' : 'finished' }),
);
const page = { limit: 10, cursor: null };

export function conformReads({ store }: Subject): void {
  const insertSessions = () =>
    write(store(), ...[root, ...kids].map((record) => ({ put: 'session', record }) as const));

  it('answers null where there is nothing', async () => {
    const { read } = store();
    expect(await read.session('x')).toBeNull();
    expect(await read.tree('x')).toBeNull();
    expect(await read.completion('x')).toBeNull();
    expect(await read.completion('x', 1)).toBeNull();
    expect(await read.run('x')).toBeNull();
    expect(await read.runner('x')).toBeNull();
    expect(await read.callback('x')).toBeNull();
    expect(await read.schema('x')).toBeNull();
    expect(await read.schema('x', 1)).toBeNull();
    expect(await read.schemaById('x')).toBeNull();
    expect(await read.state('x')).toBeNull();
    expect(await read.tokenByHash('x')).toBeNull();
    expect(await read.nextDueAt(0)).toBeNull();
    expect(await read.counts()).toEqual({
      trees: { active: 0 },
      workflow_states: { all: 0 },
      sessions: {},
      runs: {},
      completions: {},
      callbacks: {},
      webhook_deliveries: {},
    });
  });

  it('gives every member of a record back as it was', async () => {
    const session = childOf(root, 'ses_full', {
      sessionName: 'full', status: 'stopped', external: true, agentName: 'critic', projectDir: '/p', executorType: 'codex',
      executorSessionId: 'x-1', hostname: 'host-a', callback: true, delivery: 'pull', generation: 4, lastResumedAt: NOW,
      stateContext: false,
      demands: { hostname: 'host-a', executorType: 'codex', tags: ['a', 'b'] },
      settings: completionSettings({ mode: 'never', writeScope: ['/a'], contract: { pointer: '/a', schema: { type: 'string' }, schemaHash: 'h' } }),
    }); // prettier-ignore
    const completion = aCompletion(session, {
      status: 'pending', workOutcome: 'timed_out', resultText: 'é\u2028"', resultData: { a: [null, 1.5, ''] }, workError: 'e', attempt: 2,
      environmentRetries: 1, request: { attempt: 2, of: 3, prompt: 'p' }, wrote: true, lastWriteVersion: 7, changesTruncated: true,
      attempts: [{ attempt: 1, runId: null, promptLevel: 1, outcome: 'no_write', errors: [], startedAt: 1, endedAt: 2 }],
      changes: [{ version: 7, patch: [{ op: 'remove', path: '/a' }] }],
      lastErrors: [{ pointer: '/a', keyword: 'type', message: 'm', expected: ['x'] }],
      reason: 'r', causeFingerprint: 'f', releasedAt: 3, dueAt: 4,
    }); // prettier-ignore
    const run = aRun(session, 'run_full', {
      type: 'resume_session', purpose: 'callback', status: 'stopping', attempt: 2, leaseHash: 'l', leaseExpiresAt: 1, runnerId: 'rnr_1',
      timeoutMs: 5, metadata: { a: {} }, error: 'e', cause: 'rate_limit', stopReason: 'timeout', usage: [1], claimedAt: 1, startedAt: 2,
      completedAt: 3, dueAt: 4,
    }); // prettier-ignore
    const callback = aCallback(root, session, {
      status: 'dead', delivery: 'pull', runId: 'run_full', outcome: 'stopped', updateStatus: 'skipped', stateVersion: 7, message: 'm',
      reason: 'r', queuedAt: 1, deliveredAt: 2, acknowledgedAt: 3,
    }); // prettier-ignore
    const tree = aTree({ stateId: 'wst_1', failureFingerprint: 'f', failuresInARow: 2 });
    const token = aToken({ role: 'admin', revokedAt: 5 });
    const schema = aSchema({ description: 'd', jsonSchema: { a: [true] } });
    await write(
      store(),
      { put: 'session', record: session },
      { put: 'completion', record: completion },
      { put: 'run', record: run },
      { put: 'callback', record: callback },
      { put: 'tree', record: tree },
      { put: 'token', record: token },
      { put: 'schema', record: schema },
    );
    const { read } = store();
    expect(await read.session('full')).toEqual(session);
    expect(await read.completion('ses_full')).toEqual(completion);
    expect(await read.run('run_full')).toEqual(run);
    expect(await read.callback(callback.callbackId)).toEqual(callback);
    expect(await read.tree('ses_root')).toEqual(tree);
    expect(await read.tokenByHash(token.hash)).toEqual(token);
    expect(await read.schemaById('sch_1')).toEqual(schema);

    const changed = next(completion, {
      status: 'failed',
      resultData: null,
      request: null,
      dueAt: null,
      wrote: false,
    });
    await write(store(), { put: 'completion', record: changed });
    expect(await read.completion('ses_full', 4)).toEqual(changed);
  });

  it('hides deleted sessions', async () => {
    await insertSessions();
    await write(store(), { put: 'session', record: next(kids[1]!, { deletedAt: 5 }) });
    const { read } = store();
    expect(await read.session('b')).toBeNull();
    expect((await read.sessions({ rootSessionId: 'ses_root' }, page)).items.map((s) => s.sessionId)).toEqual([
      'ses_root',
      'a',
      'c',
      'd',
      'e',
    ]);
    expect((await read.sessions({}, page)).items.map((s) => s.sessionId)).toEqual([
      'ses_root',
      'a',
      'c',
      'd',
      'e',
    ]);
    // The statuses are in order, so that two stores give the same answer.
    expect(Object.entries((await read.counts()).sessions)).toEqual([['finished', 1], ['running', 4]]); // prettier-ignore
  });

  it('lists sessions by tree, parent and status, page by page', async () => {
    await insertSessions();
    await write(store(), { put: 'session', record: aSession({ sessionId: 'z' }) });
    const ids = async (filter: object) =>
      (await all((request) => store().read.sessions(filter, request))).map((s) => s.sessionId);
    expect(await ids({})).toEqual(['ses_root', 'a', 'b', 'c', 'd', 'e', 'z']);
    expect(await ids({ rootSessionId: 'ses_root', status: 'finished' })).toEqual(['b', 'd']);
    expect(await ids({ parentSessionId: 'ses_root' })).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await ids({ status: 'stopped' })).toEqual([]);
  });

  it('lists completions of the current generations by tree and status, and sessions by it, page by page', async () => {
    await insertSessions();
    const other = aSession({ sessionId: 'z', rootSessionId: 'z' });
    const again = next(kids[2]!, { generation: 2 });
    const gone = next(kids[4]!, { deletedAt: 5 });
    await write(
      store(),
      { put: 'session', record: other },
      { put: 'session', record: again },
      { put: 'session', record: gone },
      { put: 'completion', record: aCompletion(kids[0]!, { status: 'pending', dueAt: 7, attempt: 2 }) },
      { put: 'completion', record: aCompletion(kids[1]!, { status: 'failed' }) },
      { put: 'completion', record: aCompletion(kids[2]!, { status: 'pending' }) },
      { put: 'completion', record: aCompletion(again, { status: 'completed' }) },
      { put: 'completion', record: aCompletion(gone, { status: 'pending' }) },
      { put: 'completion', record: aCompletion(other, { status: 'pending' }) },
    );
    const of = async (filter: Parameters<Reader['completions']>[0]) =>
      (await all((request) => store().read.completions(filter, request))).map((one) => [
        one.sessionId,
        one.generation,
      ]);
    expect(await of({})).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 2],
      ['z', 1],
    ]);
    expect(await of({ status: 'pending' })).toEqual([
      ['a', 1],
      ['z', 1],
    ]);
    expect(await of({ status: 'pending', rootSessionId: 'ses_root' })).toEqual([['a', 1]]);
    expect(await of({ status: 'skipped' })).toEqual([]);
    const { items } = await store().read.completions({ status: 'pending' }, { limit: 1, cursor: null });
    expect(items).toMatchObject([{ dueAt: 7, attempt: 2 }]);
    const ids = async (completionStatus: CompletionStatus) =>
      (await all((request) => store().read.sessions({ completionStatus }, request))).map((s) => s.sessionId);
    expect(await ids('pending')).toEqual(['a', 'z']);
    expect(await ids('completed')).toEqual(['c']);
  });

  it('gives no cursor where a page ends with the list', async () => {
    await insertSessions();
    expect((await store().read.sessions({}, { limit: 6, cursor: null })).nextCursor).toBeNull();
    expect((await store().read.sessions({}, { limit: 5, cursor: null })).nextCursor).not.toBeNull();
  });

  it('goes on behind a cursor while the list grows', async () => {
    await insertSessions();
    const first = await store().read.sessions({}, { limit: 5, cursor: null });
    await write(store(), { put: 'session', record: aSession({ sessionId: 'z' }) });
    const rest = await store().read.sessions({}, { limit: 5, cursor: first.nextCursor });
    expect(rest.items.map((s) => s.sessionId)).toEqual(['e', 'z']);
  });

  it('refuses a cursor that is not of the list', async () => {
    await insertSessions();
    const { nextCursor } = await store().read.sessions({}, { limit: 1, cursor: null });
    const lists: ((request: PageRequest) => Promise<unknown>)[] = [
      (r) => store().read.completions({}, r),
      (r) => store().read.runs({}, r),
      (r) => store().read.callbacks({}, r),
      (r) => store().read.schemas({}, r),
      (r) => store().read.schemaVersions('plan', r),
      (r) => store().read.states({}, r),
    ];
    for (const list of lists)
      await expect(list({ limit: 1, cursor: nextCursor })).rejects.toThrow(BadCursorError);
    for (const cursor of [
      '',
      'x',
      '!',
      Buffer.from('{}').toString('base64url'),
      Buffer.from('["sessions","1"]').toString('base64url'),
    ]) {
      await expect(store().read.sessions({}, { limit: 1, cursor })).rejects.toThrow(BadCursorError);
    }
  });

  it('reads the completion of the present generation, or of another', async () => {
    const second = next(root, { generation: 2 });
    await write(store(), { put: 'session', record: root }, { put: 'completion', record: aCompletion(root) });
    await write(
      store(),
      { put: 'session', record: second },
      { put: 'completion', record: aCompletion(second) },
    );
    expect((await store().read.completion('ses_root'))?.generation).toBe(2);
    expect((await store().read.completion('ses_root', 1))?.generation).toBe(1);
    expect(await store().read.completion('ses_root', 3)).toBeNull();
  });

  it('lists runs by status, session and tree, and those of a runner that have not ended', async () => {
    const runs = [
      aRun(root, 'run_1', { status: 'completed', runnerId: 'rnr_1' }),
      aRun(root, 'run_2', { status: 'running', runnerId: 'rnr_1' }),
      aRun(kids[0]!, 'run_3', { status: 'claimed', runnerId: 'rnr_1' }),
      aRun(kids[0]!, 'run_4', { rootSessionId: 'other' }),
      aRun(kids[1]!, 'run_5', { status: 'running', runnerId: 'rnr_2' }),
    ];
    await write(store(), ...runs.map((record) => ({ put: 'run', record }) as const));
    const ids = async (filter: object) =>
      (await all((request) => store().read.runs(filter, request))).map((r) => r.runId);
    expect(await ids({})).toEqual(['run_1', 'run_2', 'run_3', 'run_4', 'run_5']);
    expect(await ids({ status: 'running' })).toEqual(['run_2', 'run_5']);
    expect(await ids({ sessionId: 'a', rootSessionId: 'ses_root' })).toEqual(['run_3']);
    expect((await store().read.runsOfRunner('rnr_1')).map((r) => r.runId)).toEqual(['run_2', 'run_3']);
    expect((await store().read.counts()).runs).toEqual({ completed: 1, running: 2, claimed: 1, pending: 1 });
  });

  it('gives the first run of work of a session and its last two, whatever came between', async () => {
    const purposes = ['work', 'state_update', 'work', 'callback', 'work', 'work', 'state_update'] as const;
    const runs = purposes.map((purpose, i) =>
      aRun(root, `run_${i}`, { purpose, status: 'completed', completedAt: NOW }),
    );
    runs.push(aRun(kids[0]!, 'run_of_kid', { purpose: 'work' }));
    await write(
      store(),
      ...[root, kids[0]!].map((record) => ({ put: 'session', record }) as const),
      ...runs.map((record) => ({ put: 'run', record }) as const),
    );
    const ids = async (id: string) => (await store().read.workRuns(id)).map(({ runId }) => runId);
    expect(await ids(root.sessionId)).toEqual(['run_0', 'run_4', 'run_5']);
    expect(await ids(kids[0]!.sessionId)).toEqual(['run_of_kid']);
    expect(await ids('ses_nobody')).toEqual([]);
  });

  it('lists callbacks by status, parent, delivery and tree', async () => {
    const statuses = ['held', 'queued', 'delivered', 'dead', 'queued'] as const;
    await write(
      store(),
      ...kids.map(
        (kid, i) =>
          ({
            put: 'callback',
            record: aCallback(root, kid, {
              status: statuses[i]!,
              delivery: i < 2 ? 'pull' : 'resume',
              parentSessionId: i === 4 ? 'p' : 'ses_root',
            }),
          }) as const,
      ),
    );
    const ids = async (filter: object) =>
      (await all((request) => store().read.callbacks(filter, request))).map((c) => c.childSessionId).join('');
    expect(await ids({})).toBe('abcde');
    expect(await ids({ status: ['queued', 'dead'] })).toBe('bde');
    expect(await ids({ status: [] })).toBe('');
    expect(await ids({ parentSessionId: 'ses_root', delivery: 'resume' })).toBe('cd');
    expect(await ids({ rootSessionId: 'x' })).toBe('');
    expect((await store().read.counts()).callbacks).toEqual({ held: 1, queued: 2, delivered: 1, dead: 1 });
  });

  it('reads and lists schemas: the newest of each name, and the versions of one, newest first', async () => {
    const versions = (['plan', 'free', 'plan', 'plan', 'chat'] as const).map((name, i, names) => {
      const version = names.slice(0, i + 1).filter((other) => other === name).length;
      return aSchema({ schemaId: `sch_${name}_${version}`, name, version, hash: `${name} ${version}` });
    });
    await write(store(), ...versions.map((record) => ({ put: 'schema', record }) as const));
    const { read } = store();
    expect((await read.schema('plan'))?.version).toBe(3);
    expect((await read.schema('plan', 2))?.schemaId).toBe('sch_plan_2');
    for (const version of [4, 2 ** 53, 2 ** 63, 1e300]) expect(await read.schema('plan', version)).toBeNull();
    const newest = await all((request) => read.schemas({}, request));
    expect(newest.map((s) => s.schemaId)).toEqual(['sch_free_1', 'sch_plan_3', 'sch_chat_1']);
    expect((await read.schemas({ name: 'plan' }, page)).items.map((s) => s.version)).toEqual([3]);
    expect((await all((request) => read.schemaVersions('plan', request))).map((s) => s.version)).toEqual([
      3, 2, 1,
    ]);
  });

  it('lists states by tree, schema name and time', async () => {
    await write(
      store(),
      { put: 'schema', record: aSchema() },
      { put: 'schema', record: aSchema({ schemaId: 'sch_2', version: 2 }) },
      { put: 'schema', record: aSchema({ schemaId: 'sch_x', name: 'other' }) },
      ...['sch_1', 'sch_2', 'sch_x'].map(
        (schemaId, i) =>
          ({
            put: 'state',
            record: aState({ stateId: `w${i}`, rootSessionId: `r${i}`, schemaId, updatedAt: NOW + i }),
          }) as const,
      ),
    );
    const ids = async (filter: object) =>
      (await all((request) => store().read.states(filter, request), 1)).map((s) => s.stateId);
    expect(await ids({})).toEqual(['w0', 'w1', 'w2']);
    expect(await ids({ schemaName: 'plan' })).toEqual(['w0', 'w1']);
    expect(await ids({ updatedSince: NOW + 1 })).toEqual(['w1', 'w2']);
    expect(await ids({ rootSessionId: 'r2', schemaName: 'plan' })).toEqual([]);
  });

  it('lists runners and tokens', async () => {
    const runners = [aRunner(), aRunner({ runnerId: 'rnr_0' })];
    const tokens = [aToken({ tokenId: 'z', hash: '1' }), aToken({ tokenId: 'a', hash: '2' })];
    await write(
      store(),
      ...runners.map((record) => ({ put: 'runner', record }) as const),
      ...tokens.map((record) => ({ put: 'token', record }) as const),
    );
    expect(await store().read.runners()).toEqual(runners);
    expect(await store().read.tokens()).toEqual(tokens);
  });

  it('gives the children that nothing continues by itself, oldest first', async () => {
    await insertSessions();
    const put = (record: Completion) => ({ put: 'completion', record }) as const;
    const [a, b, c, d, e] = kids;
    await write(
      store(),
      put(aCompletion(root)),
      put(aCompletion(e!)),
      put(aCompletion(a!, { dueAt: 20 })),
      put(aCompletion(b!, { releasedAt: 20 })),
      put(aCompletion(c!)),
      put(aCompletion(d!)),
      put(aCompletion(d!, { generation: 2 })),
      { put: 'run', record: aRun(c!, 'run_1', { status: 'running', dueAt: 20 }) },
      { put: 'run', record: aRun(d!, 'run_2', { status: 'completed' }) },
    );
    const { read } = store();
    const given = [e, d].map((one) => ({
      sessionId: one!.sessionId,
      rootSessionId: 'ses_root',
      callbackId: null,
      runId: null,
    }));
    expect(await read.unattended(10)).toEqual(given);
    expect(await read.unattended(1)).toEqual(given.slice(0, 1));
  });

  it('gives a child that is waited for although its completion is missing, and names that to a repair', async () => {
    await insertSessions();
    const [a, b] = kids;
    await write(
      store(),
      ...[root, b!].map((one) => ({ put: 'completion', record: aCompletion(one, { dueAt: 20 }) }) as const),
      ...[a!, b!].map((one) => ({ put: 'callback', record: aCallback(root, one) }) as const),
    );
    const given = [
      {
        sessionId: a!.sessionId,
        rootSessionId: 'ses_root',
        callbackId: aCallback(root, a!).callbackId,
        runId: null,
      },
    ];
    expect(await store().read.unattended(10)).toEqual(given);
    const repair = { load: 'repaired', kind: 'tree', id: 'ses_root', now: NOW } as const;
    expect((await load(store(), repair)).repaired).toContainEqual({
      kind: 'completion',
      id: 'a@1',
      column: null,
      what: 'is missing',
    });
  });

  it('gives a session whose next work should have begun', async () => {
    await insertSessions();
    const [a, b, c] = kids;
    const put = (record: Completion) => ({ put: 'completion', record }) as const;
    await write(
      store(),
      put(aCompletion(a!, { releasedAt: 20 })),
      put(aCompletion(a!, { generation: 2, dueAt: 20 })),
      put(aCompletion(b!, { dueAt: 20 })),
      put(aCompletion(b!, { generation: 2, dueAt: 20 })),
      put(aCompletion(c!, { generation: 2, dueAt: 20 })),
    );
    const given = [a, c].map((one) => ({
      sessionId: one!.sessionId,
      rootSessionId: 'ses_root',
      callbackId: null,
      runId: null,
    }));
    expect(await store().read.unattended(10)).toEqual(given);
  });

  it('gives a session whose run has no deadline', async () => {
    await insertSessions();
    const [a] = kids;
    await write(
      store(),
      { put: 'completion', record: aCompletion(a!, { dueAt: 20 }) },
      { put: 'run', record: aRun(a!, 'run_1', { status: 'running', dueAt: null }) },
      { put: 'run', record: aRun(root, 'run_2', { status: 'pending', dueAt: 20 }) },
      { put: 'run', record: aRun(root, 'run_3', { status: 'completed', dueAt: null }) },
    );
    expect(await store().read.unattended(10)).toEqual([
      { sessionId: a!.sessionId, rootSessionId: 'ses_root', callbackId: null, runId: null },
    ]);
  });

  it('gives a run that belongs to none of the open work of its session', async () => {
    await insertSessions();
    const [a, b] = kids;
    await write(
      store(),
      { put: 'completion', record: aCompletion(a!, { dueAt: 20 }) },
      { put: 'run', record: aRun(a!, 'run_1', { status: 'pending', dueAt: 20, generation: 2 }) },
      { put: 'completion', record: aCompletion(b!, { dueAt: 20 }) },
      { put: 'run', record: aRun(b!, 'run_2', { status: 'pending', dueAt: 20 }) },
    );
    const found = await store().read.unattended(10);
    expect(found.filter(({ runId }) => runId !== null)).toEqual([
      { sessionId: a!.sessionId, rootSessionId: 'ses_root', callbackId: null, runId: 'run_1' },
    ]);
  });

  it('gives a child whose completion was released while its callback is held', async () => {
    await insertSessions();
    const [a, b, c] = kids;
    await write(
      store(),
      { put: 'completion', record: aCompletion(root, { dueAt: 20 }) },
      ...[a!, b!].map(
        (one) => ({ put: 'completion', record: aCompletion(one, { releasedAt: 20 }) }) as const,
      ),
      { put: 'completion', record: aCompletion(c!, { dueAt: 20 }) },
      { put: 'callback', record: aCallback(root, a!) },
      { put: 'callback', record: aCallback(root, b!, { status: 'queued' }) },
      { put: 'callback', record: aCallback(root, c!) },
    );
    expect(await store().read.unattended(10)).toEqual([
      { sessionId: a!.sessionId, rootSessionId: 'ses_root', callbackId: null, runId: null },
    ]);
  });

  it('gives what is due, most overdue first, and when something is due next', async () => {
    await write(
      store(),
      { put: 'run', record: aRun(root, 'run_1', { status: 'running', dueAt: 30 }) },
      { put: 'run', record: aRun(root, 'run_2', { status: 'running', dueAt: 10 }) },
      { put: 'run', record: aRun(root, 'run_3', { status: 'running', dueAt: 50 }) },
      { put: 'run', record: aRun(root, 'run_4', { availableAt: 70 }) },
      { put: 'run', record: aRun(root, 'run_5', { availableAt: 60, status: 'completed' }) },
      { put: 'completion', record: aCompletion(kids[0]!, { dueAt: 20 }) },
      { put: 'completion', record: aCompletion(kids[1]!, { dueAt: 40 }) },
    );
    const { read } = store();
    expect(await read.due(30, 10)).toEqual([
      { kind: 'run', runId: 'run_2', rootSessionId: 'ses_root' },
      { kind: 'completion', sessionId: 'a', rootSessionId: 'ses_root' },
      { kind: 'run', runId: 'run_1', rootSessionId: 'ses_root' },
    ]);
    expect(await read.due(30, 1)).toHaveLength(1);
    expect(await read.due(9, 10)).toEqual([]);
    expect(await Promise.all([0, 10, 30, 40, 50, 70].map((now) => read.nextDueAt(now)))).toEqual([
      10,
      20,
      40,
      50,
      70,
      null,
    ]);
    expect((await read.counts()).completions).toEqual({ none: 2 });
  });
}
