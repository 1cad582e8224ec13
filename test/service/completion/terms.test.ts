// Promises that cannot be kept are refused when they are made, in every way that makes them; and nothing is written.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CompletionOptions } from '../../../src/ports/api/index.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

let harness: Harness;
let runner: PlayedRunner;

const PLAN = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { enum: ['open', 'done'] },
    reviews: { type: 'object', additionalProperties: { type: 'object', required: ['score'] } },
    note: { type: 'string' },
  },
};
const contract = (pointer: string, schema = { type: 'object' }) => ({ contract: { pointer, schema } });

beforeEach(async () => {
  harness = await openHarness();
  runner = await PlayedRunner.register(harness);
  must(await harness.operator.schemas.register({ name: 'plan', json_schema: PLAN }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
});
afterEach(() => harness.close());

const openState = (schema_name = 'plan') =>
  harness.operator.states.create({ schema_name, initial_data: {}, root_session_name: 'root' });
const start = (completion: CompletionOptions, session_name = 'child') =>
  harness.operator.runs.create({
    type: 'start_session',
    session_name,
    parent_session_name: 'root',
    callback: true,
    prompt: 'Work.',
    completion: { retry_delay_ms: 0, ...completion },
  });
const create = (completion: CompletionOptions, external = false) =>
  harness.operator.sessions.create({
    session_name: 'child',
    parent_session_name: 'root',
    external,
    completion,
  });
const completion = async () => must(await harness.operator.sessions.completion('child'));
const callback = async () => {
  const { items } = must(await harness.operator.callbacks.list({}));
  return items[0];
};

async function refusedUnwritten(make: () => Promise<Parameters<typeof failure>[0]>) {
  const before = harness.dump();
  const refused = failure(await make());
  expect(harness.dump()).toBe(before);
  return refused;
}

describe('a resume', () => {
  const resume = (completion?: CompletionOptions) =>
    harness.operator.runs.create({
      type: 'resume_session',
      session_name: 'child',
      prompt: 'More.',
      ...(completion === undefined ? {} : { completion }),
    });
  const given: CompletionOptions = {
    ...contract('/reviews/b'),
    write_scope: ['/reviews'],
    mode: 'unless_satisfied',
    max_attempts: 5,
  };

  it('keeps the terms that it does not name, as the resume before it has set them', async () => {
    must(await openState());
    must(await start({ ...contract('/reviews/a'), write_scope: ['/reviews/a'], max_attempts: 2 }));
    must(await resume(given));
    expect(await completion()).toMatchObject(given);
    must(await resume({ max_attempts: 4 }));
    expect(await completion()).toMatchObject({ ...given, max_attempts: 4 });
    must(await resume());
    expect(await completion()).toMatchObject({ ...given, max_attempts: 4 });
  });

  it('holds a migration to its contract while it waits for the work before it', async () => {
    const { state_id } = must(await openState());
    must(await start({}));
    await runner.complete(await runner.take('child'));
    must(await resume(contract('/reviews/a')));
    const json_schema = { type: 'object', properties: { status: {} }, additionalProperties: false };
    must(await harness.operator.schemas.register({ name: 'plan', json_schema }));
    const refused = await refusedUnwritten(() =>
      harness.operator.states.migrate(state_id, { schema_version: 2 }, {}),
    );
    expect(refused).toMatchObject({ error: 'contract_impossible', members: { session: 'child' } });
  });

  it('keeps those of the work before it where that is over, and those of the work that waits', async () => {
    must(await openState());
    must(await start({ mode: 'never' }));
    await runner.complete(await runner.take('child'));
    must(await resume({ ...given, mode: 'never' }));
    await runner.complete(await runner.take('child'));
    must(await resume({ mode: 'always' }));
    expect(await completion()).toMatchObject({ ...given, mode: 'always', generation: 3 });
    await runner.complete(await runner.take('child'));
    must(await resume({ max_attempts: 1 }));
    must(await resume({ write_scope: ['/reviews/b'] }));
    expect(await completion()).toMatchObject({ max_attempts: 5, generation: 3 });
    must(await harness.operator.sessions.skip('child', {}));
    await harness.pass(10);
    expect(await runner.take('child')).toMatchObject({ purpose: 'work' });
    const last = { ...given, mode: 'always', max_attempts: 1, write_scope: ['/reviews/b'], generation: 4 };
    expect(await completion()).toMatchObject(last);
  });
});

describe('in a tree without a state', () => {
  it.each<[string, CompletionOptions]>([
    ['a contract', contract('/reviews/a')],
    ['a write scope', { write_scope: ['/reviews'] }],
  ])('%s is refused however the child is made', async (_, terms) => {
    for (const make of [() => start(terms), () => create(terms), () => create(terms, true)]) {
      const refused = await refusedUnwritten(make);
      expect(refused).toMatchObject({
        error: 'state_required',
        detail: expect.stringContaining('await_state'),
      });
    }
  });

  it('a contract is refused when a child without one is resumed with it', async () => {
    must(await start({}));
    await runner.complete(await runner.take('child'));
    const resume = (terms: CompletionOptions) =>
      harness.operator.runs.create({
        type: 'resume_session',
        session_name: 'child',
        prompt: 'More.',
        completion: terms,
      });
    expect(await refusedUnwritten(() => resume(contract('/reviews/a')))).toMatchObject({
      error: 'state_required',
    });
    must(await resume({ ...contract('/reviews/a'), await_state: true }));
  });

  it('a contract is refused when the state is gone and the child is to go on', async () => {
    const { state_id } = must(await openState());
    must(await start({ ...contract('/reviews/a'), mode: 'never' }));
    await runner.complete(await runner.take('child'));
    must(await harness.operator.states.remove(state_id));
    const refused = await refusedUnwritten(() =>
      harness.operator.runs.create({ type: 'resume_session', session_name: 'child', prompt: 'More.' }),
    );
    expect(refused.error).toBe('state_required');
  });

  it('a state that is awaited and comes is recorded in', async () => {
    must(await start({ ...contract('/reviews/a'), await_state: true }));
    await runner.complete(await runner.take('child'));
    expect(await completion()).toMatchObject({
      state_update_status: 'pending',
      attempt: 0,
      await_state: true,
      reason: expect.stringContaining('still to be opened'),
      released_at: null,
    });
    const { state_id } = must(await openState());
    await harness.pass(10);
    const asked = await runner.take('child');
    expect(asked.prompt).toContain('/reviews/a');
    const child = await harness.as('child');
    must(
      await child.states.patch(state_id, [{ op: 'add', path: '/reviews', value: { a: { score: 1 } } }], {}),
    );
    await runner.complete(asked);
    expect(await completion()).toMatchObject({ state_update_status: 'completed', attempt: 1 });
  });

  it.each(['a run', 'an external child'])(
    'a state that never comes fails %s, and the parent hears of it',
    async (who) => {
      const terms = { ...contract('/reviews/a'), await_state: true, timeout_ms: 2000 };
      if (who === 'a run') {
        must(await start(terms));
        await runner.complete(await runner.take('child'));
      } else {
        must(
          await harness.operator.sessions.create({
            session_name: 'child',
            parent_session_name: 'root',
            external: true,
            callback: true,
            completion: terms,
          }),
        );
        const child = await harness.as('child');
        must(await child.sessions.report('child', { type: 'session_stop', result_text: 'done' }));
      }
      await harness.pass(1000);
      expect(await completion()).toMatchObject({ state_update_status: 'pending' });
      await harness.restart();
      await harness.pass(1500);
      expect(await completion()).toMatchObject({
        state_update_status: 'failed',
        reason: expect.stringContaining('opened no workflow state'),
      });
      expect(await callback()).toMatchObject({
        status: 'queued',
        metadata: { state_update_status: 'failed' },
        message: expect.stringContaining('opened no workflow state'),
      });
    },
  );

  it.each<[string, CompletionOptions, string]>([
    ['a contract at a forbidden name', contract('/__proto__/a'), 'contract_impossible'],
    ['a scope of such a place', { write_scope: ['/constructor'] }, 'write_scope_impossible'],
    ['an empty scope', { write_scope: [] }, 'write_scope_impossible'],
    ['a document that is no object', contract('', { type: 'string' }), 'contract_impossible'],
    [
      'a contract that nothing satisfies',
      {
        contract: { pointer: '/note', schema: { required: ['a'], type: 'object', properties: { a: false } } },
      },
      'contract_impossible',
    ],
  ])('%s is refused before the state comes', async (_, terms, error) => {
    const refused = await refusedUnwritten(() => start({ ...terms, await_state: true }));
    expect(refused.error).toBe(error);
  });

  it('await_state alone holds a child to the state that comes', async () => {
    must(await start({ await_state: true }));
    await runner.complete(await runner.take('child'));
    expect(await completion()).toMatchObject({ state_update_status: 'pending' });
  });

  it('a state whose schema leaves no room for what was agreed is refused, with the session', async () => {
    must(await start({ ...contract('/results/a'), await_state: true }));
    const refused = await refusedUnwritten(() => openState());
    expect(refused).toMatchObject({
      error: 'contract_impossible',
      detail: expect.stringContaining('child'),
      members: {
        session: 'child',
        place: '/results/a',
        closed_at: '',
        members: ['status', 'reviews', 'note'],
      },
    });
    must(await harness.operator.schemas.register({ name: 'open', json_schema: { type: 'object' } }));
    must(await openState('open'));
  });

  it('and so is one that leaves no room for work that waits for the end of the work before it', async () => {
    must(await start({ await_state: true }));
    await runner.complete(await runner.take('child'));
    must(
      await harness.operator.runs.create({
        type: 'resume_session',
        session_name: 'child',
        prompt: 'More.',
        completion: contract('/results/a'),
      }),
    );
    expect(await completion()).toMatchObject({ generation: 1, contract: null });
    const refused = await refusedUnwritten(() => openState());
    expect(refused).toMatchObject({ error: 'contract_impossible', members: { session: 'child' } });
    must(await harness.operator.schemas.register({ name: 'open', json_schema: { type: 'object' } }));
    must(await openState('open'));
  });
});

describe('in a tree with a state', () => {
  it.each<[string, CompletionOptions, string, object]>([
    [
      'outside of the write scope',
      { ...contract('/reviews/a'), write_scope: ['/note', '/status'] },
      'contract_impossible',
      { pointer: '/completion/contract/pointer', place: '/reviews/a', allowed: ['/note', '/status'] },
    ],
    [
      'with nothing to write',
      { ...contract('/reviews/a'), write_scope: [] },
      'contract_impossible',
      { allowed: [] },
    ],
    [
      'at a member that there is none of',
      contract('/results/a'),
      'contract_impossible',
      { place: '/results/a', closed_at: '', members: ['status', 'reviews', 'note'] },
    ],
    ['under a text', contract('/note/a'), 'contract_impossible', { closed_at: '/note' }],
    [
      'with a value that there is none of',
      contract('/status', { const: 'completed' } as never),
      'contract_impossible',
      { closed_at: '/status' },
    ],
    ['of another type', contract('/note'), 'contract_impossible', { closed_at: '/note' }],
    [
      'with a scope of no place',
      { write_scope: ['/results', '/note/x'] },
      'write_scope_impossible',
      { place: '/results', closed_at: '' },
    ],
  ])('terms %s are refused', async (_, terms, error, members) => {
    must(await openState());
    for (const make of [() => start(terms), () => create(terms), () => create(terms, true)]) {
      expect(await refusedUnwritten(make)).toMatchObject({ error, members });
    }
  });

  it('a child that is to record something gets no empty write scope, asked for or handed on', async () => {
    must(await openState());
    for (const mode of ['always', 'unless_satisfied'] as const) {
      for (const make of [start, create, (terms: CompletionOptions) => create(terms, true)]) {
        expect(await refusedUnwritten(() => make({ write_scope: [], mode }))).toMatchObject({
          error: 'write_scope_impossible',
          members: { pointer: '/completion/write_scope', allowed: [] },
          detail: expect.stringContaining('never'),
        });
      }
    }
    must(await start({ write_scope: [], mode: 'never' }, 'reader'));
    const below = (terms: CompletionOptions) =>
      harness.operator.sessions.create({ parent_session_name: 'reader', completion: terms });
    expect(await refusedUnwritten(() => below({}))).toMatchObject({ error: 'write_scope_impossible' });
    must(await below({ mode: 'never' }));
    await runner.complete(await runner.take('reader'));
    const resume = (terms: CompletionOptions) =>
      harness.operator.runs.create({
        type: 'resume_session',
        session_name: 'reader',
        prompt: 'More.',
        completion: terms,
      });
    const refused = await refusedUnwritten(() => resume({ mode: 'always' }));
    expect(refused).toMatchObject({ error: 'write_scope_impossible' });
    must(await resume({ mode: 'always', write_scope: ['/note'] }));
  });

  const deep = '/a'.repeat(65);
  it.each<[string, CompletionOptions, string, object]>([
    ['at a forbidden name', contract('/__proto__'), 'contract_impossible', { closed_at: '' }],
    ['under one', contract('/a/constructor/b'), 'contract_impossible', { closed_at: '/a' }],
    [
      'with a required forbidden name',
      contract('/a', { type: 'object', required: ['__proto__'] } as never),
      'contract_impossible',
      { place: '/a', closed_at: '/a' },
    ],
    ['below the deepest level', contract(deep), 'contract_impossible', { closed_at: deep.slice(2) }],
    [
      'with a scope of such places',
      { write_scope: ['/prototype', deep] },
      'write_scope_impossible',
      { place: '/prototype', closed_at: '' },
    ],
  ])('terms %s are refused under an open schema', async (_, terms, error, members) => {
    must(await harness.operator.schemas.register({ name: 'open', json_schema: { type: 'object' } }));
    must(await openState('open'));
    must(await start({ ...contract('/a/b'), write_scope: ['/a', '/prototype'] }, 'possible'));
    for (const make of [() => start(terms), () => create(terms), () => create(terms, true)]) {
      expect(await refusedUnwritten(make)).toMatchObject({ error, members });
    }
  });

  it('terms that may be met are taken', async () => {
    must(await openState());
    must(await start({ ...contract('/reviews/a'), write_scope: ['/reviews/a/score', '/results'] }));
  });

  it('a contract outside of the scope that the parent hands on is refused', async () => {
    must(await openState());
    must(await start({ write_scope: ['/note'] }, 'parent'));
    const refused = await refusedUnwritten(() =>
      harness.operator.runs.create({
        type: 'start_session',
        session_name: 'grandchild',
        parent_session_name: 'parent',
        prompt: 'Work.',
        completion: contract('/reviews/a'),
      }),
    );
    expect(refused).toMatchObject({ error: 'contract_impossible', members: { allowed: ['/note'] } });
  });

  const withoutReviews = () => {
    const properties = Object.fromEntries(
      Object.entries(PLAN.properties).filter(([name]) => name !== 'reviews'),
    );
    return harness.operator.schemas.register({ name: 'plan', json_schema: { ...PLAN, properties } });
  };

  it('a migration that rules out an open contract is refused, also as a dry run', async () => {
    const { state_id } = must(await openState());
    must(await start(contract('/reviews/a')));
    must(await withoutReviews());
    for (const dryRun of [true, false]) {
      const refused = await refusedUnwritten(() =>
        harness.operator.states.migrate(state_id, { schema_version: 2 }, { dryRun }),
      );
      expect(refused).toMatchObject({ error: 'contract_impossible', members: { session: 'child' } });
    }
  });

  it.each([{ expectedVersion: 4 }, { ifMatch: 4 }])(
    'a migration with %j is refused for the version before the open contracts are checked',
    async (condition) => {
      const { state_id } = must(await openState());
      must(await start(contract('/reviews/a')));
      must(await withoutReviews());
      for (const dryRun of [true, false]) {
        const refused = await refusedUnwritten(() =>
          harness.operator.states.migrate(state_id, { schema_version: 2 }, { ...condition, dryRun }),
        );
        expect(refused).toMatchObject({
          error: 'version_conflict',
          members: { current_version: 1, your_version: 4 },
        });
      }
    },
  );
});

describe('a root', () => {
  it('has no contract that nobody holds it to', async () => {
    const refused = await refusedUnwritten(() =>
      harness.operator.runs.create({
        type: 'start_session',
        session_name: 'alone',
        prompt: 'Work.',
        completion: contract('/a'),
      }),
    );
    expect(refused).toMatchObject({ error: 'invalid_request', detail: expect.stringContaining('root') });
  });

  it.each<[string, CompletionOptions]>([
    ['/completion/write_scope', { write_scope: ['/a'] }],
    ['/completion/contract', contract('/a')],
  ])('has no terms at %s, made or resumed', async (pointer, terms) => {
    const { operator } = harness;
    const session = { session_name: 'alone', completion: terms };
    const work = { prompt: 'Work.', ...session };
    must(await operator.sessions.create({ session_name: 'waiting' }));
    for (const make of [
      () => operator.sessions.create(session),
      () => operator.sessions.create({ ...session, external: true }),
      () => operator.runs.create({ type: 'start_session', ...work }),
      () => operator.runs.create({ type: 'resume_session', ...work, session_name: 'waiting' }),
    ]) {
      expect(await refusedUnwritten(make)).toMatchObject({
        error: 'invalid_request',
        members: { errors: [{ pointer }] },
      });
    }
  });
});

describe('a wait', () => {
  const until = (name: string, value: { readonly const: string }) => ({
    required: [name],
    properties: { [name]: value },
  });

  it.each<[string, object, object]>([
    ['a member', { until: until('stauts', { const: 'done' }) }, { pointer: '/until', closed_at: '' }],
    [
      'a value',
      { until: until('status', { const: 'completed' }) },
      { pointer: '/until', closed_at: '/status' },
    ],
    [
      'a value to give up on',
      { until: until('status', { const: 'done' }), fail_on: until('status', { const: 'failed' }) },
      { pointer: '/fail_on', closed_at: '/status' },
    ],
  ])('for %s that the schema rules out is refused at once', async (_, body, members) => {
    const { state_id } = must(await openState());
    const refused = failure(
      await harness.operator.states.wait(state_id, { timeout_ms: 5000, ...body } as never),
    );
    expect(refused).toMatchObject({ error: 'condition_impossible', members });
  });

  it('for what may come goes on to its end', async () => {
    const { state_id } = must(await openState());
    const body = { until: until('status', { const: 'done' }), timeout_ms: 0 };
    expect(must(await harness.operator.states.wait(state_id, body))).toMatchObject({ matched: false });
  });
});
