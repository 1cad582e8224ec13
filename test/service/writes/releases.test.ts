// The write that completes a child releases the callback to its parent in the same commit.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '../../../src/domain/transactions/changeset.js';
import type { Countersign } from '../../../src/ports/service.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { WORKFLOW_SCHEMA } from '../../../src/domain/workflow/workflow.js';
import { withTransact } from '../../support/wrapped-store.js';
import { must, openHarness, type Harness } from '../harness.js';

const putsOf = (changes: readonly Change[]) =>
  changes.flatMap((change) => ('put' in change ? [change.put] : []));

/** Shows what each commit has put, and lets releases in the commit of a write fail. */
class Commits {
  readonly puts: string[][] = [];
  failing = false;

  wrap = (store: Store): Store =>
    withTransact(store, (transact) => async (loads, decide, gathered) => {
      let puts: string[] = [];
      const result = await transact(
        loads,
        (records) => {
          const decision = decide(records);
          puts = 'changes' in decision ? putsOf(decision.changes) : [];
          if (this.failing && puts.includes('callback') && puts.includes('event'))
            throw new TypeError('a release that cannot be made');
          return decision;
        },
        gathered,
      );
      if (puts.length > 0) this.puts.push(puts);
      return result;
    });
}

let commits: Commits;
let harness: Harness;
let root: Countersign;
let stateId: string;

async function open(schemaName: string): Promise<void> {
  commits = new Commits();
  harness = await openHarness({}, false, {}, undefined, commits.wrap);
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: schemaName, initial_data: {} })).state_id;
}

/** A child whose work has ended and that is asked for its result. */
async function asked(name: string): Promise<Countersign> {
  const contract = { pointer: `/${name}`, schema: { type: 'integer' } };
  must(
    await root.sessions.create({
      session_name: name,
      external: true,
      callback: true,
      completion: { contract },
    }),
  );
  const child = await harness.as(name);
  must(await child.sessions.report(name, { type: 'session_stop' }));
  return child;
}

const add = (by: Countersign, name: string, value: unknown) =>
  by.states.patch(stateId, [{ op: 'add', path: `/${name}`, value }] as never, {});
const pulled = async () => must(await root.sessions.pullCallbacks('root', 0)).items;

afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

describe('a write that completes a child', () => {
  beforeEach(() => open('any'));

  it('releases its callback in the same commit, with the document as the write leaves it', async () => {
    const kid = await asked('kid');
    commits.puts.length = 0;
    const { version } = must(await add(kid, 'kid', 1));
    expect(commits.puts).toHaveLength(1);
    expect(commits.puts[0]).toEqual(expect.arrayContaining(['event', 'completion', 'callback']));
    const [callback] = await pulled();
    expect(callback).toMatchObject({ metadata: { workflow_state_version: version } });
    expect(callback?.message).toContain(`version ${String(version)}`);
  });

  it('releases the callbacks of all children that write at the same time', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const children = [];
    for (const name of names) children.push(await asked(name));
    await Promise.all(children.map(async (child, i) => must(await add(child, names[i]!, i))));
    const items = await pulled();
    expect(items.map((one) => one.metadata.callback_source).sort()).toEqual(names);
    const versions = items.map((one) => Number(one.metadata.workflow_state_version));
    for (const { message } of items) expect(message).toContain(`version ${String(Math.max(...versions))}`);
  });

  it('is told to the parent with the write behind it that breaks its result', async () => {
    const kid = await asked('kid');
    await Promise.all([add(kid, 'kid', 1), add(harness.operator, 'kid', 'no number')]);
    await harness.pass(1);
    const [callback] = await pulled();
    expect(callback?.message).toContain('was broken since by a write of the operator');
  });

  it('is accepted where the release fails, which a later decision makes', async () => {
    const kid = await asked('kid');
    commits.failing = true;
    commits.puts.length = 0;
    must(await add(kid, 'kid', 1));
    expect(commits.puts[0]).toContain('event');
    expect(commits.puts[0]).not.toContain('callback');
    await harness.pass(1);
    expect(await pulled()).toHaveLength(1);
  });
});

describe('a write that completes a child of a tree with a workflow record', () => {
  beforeEach(() => open(WORKFLOW_SCHEMA));

  it('is released by a later decision, which adds it to the record', async () => {
    const kid = await asked('kid');
    commits.puts.length = 0;
    must(await add(kid, 'kid', 1));
    expect(commits.puts[0]).not.toContain('callback');
    await harness.pass(1);
    expect(await pulled()).toHaveLength(1);
    const read = must(await root.states.get(stateId));
    expect(JSON.stringify(read)).toContain('"agent_history":[{');
  });
});
