// What the sessions of a tree may add to what all trees share: schema names and webhooks. With tokens of real runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { WebhookCreate } from '../../../src/ports/api/index.js';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const first: JsonObject = { type: 'object', properties: { n: { type: 'integer' } } };
const second: JsonObject = { type: 'object', properties: { n: { type: 'string' } } };

describe('sessions of two trees, with --auth', () => {
  let harness: Harness;
  let one: Countersign;
  let helper: Countersign;
  let other: Countersign;
  const limits = { schemasPerTreeMax: 3, webhooksMax: 9, webhooksPerTreeMax: 4, webhooksPerSessionMax: 3 };

  beforeEach(async () => {
    harness = await openHarness(limits, true);
    for (const name of ['one', 'other']) {
      must(await harness.operator.runs.create({ type: 'start_session', session_name: name, prompt: 'go' }));
    }
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'helper',
        parent_session_name: 'one',
        prompt: 'go',
      }),
    );
    const claimed = await (await PlayedRunner.register(harness)).claim();
    const as = async (name: string) => {
      const bearer =
        claimed.find((run) => run.session_name === name)?.environment['COUNTERSIGN_TOKEN'] ?? null;
      return harness.service.as(
        must(await harness.service.identify({ bearer, sessionId: null, sessionName: null })),
      );
    };
    [one, helper, other] = [await as('one'), await as('helper'), await as('other')];
  });
  afterEach(() => harness.close());

  const unchanged = async (work: () => Promise<unknown>) => {
    const before = harness.dump();
    await work();
    expect(harness.dump()).toBe(before);
  };

  it('register new names for their tree, which alone adds versions and modes to them', async () => {
    expect(must(await one.schemas.register({ name: 'plan', json_schema: first }))).toMatchObject({
      created: true,
      schema: { version: 1 },
    });
    await unchanged(async () => {
      const versions = [
        { name: 'plan', json_schema: second },
        { name: 'plan', json_schema: first, compatibility: 'full' as const },
        { name: 'plan', json_schema: second, compatibility: 'backward' as const, description: 'mine' },
      ];
      for (const body of versions) {
        const refused = failure(await other.schemas.register(body));
        expect(refused).toMatchObject({ error: 'forbidden', members: { schema_name: 'plan' } });
        expect(failure(await other.schemas.tryRegister(body))).toEqual(refused);
      }
    });
    const changed = await helper.schemas.register({
      name: 'plan',
      json_schema: second,
      compatibility: 'full_transitive',
    });
    expect(failure(changed).error).toBe('incompatible_schema');
    expect(must(await helper.schemas.register({ name: 'plan', json_schema: second }))).toMatchObject({
      schema: { version: 2 },
    });
    expect(
      must(await one.schemas.register({ name: 'plan', json_schema: second, compatibility: 'backward' })),
    ).toMatchObject({ created: false, schema: { compatibility: 'backward' } });
  });

  it('change nothing of what an operator registered, and read and use it', async () => {
    must(await harness.operator.schemas.register({ name: 'shared', json_schema: first }));
    await unchanged(async () => {
      for (const session of [one, other]) {
        expect(failure(await session.schemas.register({ name: 'shared', json_schema: second })).error).toBe(
          'forbidden',
        );
        expect(must(await session.schemas.register({ name: 'shared', json_schema: first }))).toMatchObject({
          created: false,
          schema: { version: 1 },
        });
        expect(must(await session.schemas.tryRegister({ name: 'shared', json_schema: first }))).toMatchObject(
          { would_create_version: null },
        );
      }
    });
    must(await other.states.create({ schema_name: 'shared', initial_data: { n: 1 } }));
    // An operator may add to every name, and does not take it over by that.
    must(await one.schemas.register({ name: 'plan', json_schema: first }));
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: second }));
    must(await one.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
  });

  it('list the names of their tree and of the service alone, and use any that they were told', async () => {
    must(await harness.operator.schemas.register({ name: 'shared', json_schema: first }));
    must(await one.schemas.register({ name: 'plan', json_schema: first }));
    const listed = async (session: Countersign) =>
      must(await session.schemas.list({})).items.map(({ name }) => name);
    expect(await listed(helper)).toEqual(['shared', 'plan']);
    expect(await listed(other)).toEqual(['shared']);
    expect(await listed(harness.operator)).toEqual(['shared', 'plan']);
    must(await other.states.create({ schema_name: 'plan', schema_version: 1, initial_data: {} }));
  });

  it('share the built-in schema, whose name none of them takes', async () => {
    await unchanged(async () => {
      expect(failure(await one.schemas.register({ name: 'free-form', json_schema: second })).error).toBe(
        'forbidden',
      );
    });
    for (const [session, name] of [
      [one, 'one'],
      [other, 'other'],
    ] as const) {
      must(await session.keys.open(name, { initial_state: { any: true } }));
    }
  });

  it('have a share of the schemas, which the refusal names', async () => {
    const register = (session: Countersign, name: string) =>
      session.schemas.register({ name, json_schema: first });
    for (const name of ['a', 'b', 'c']) must(await register(one, name));
    await unchanged(async () => {
      expect(failure(await register(helper, 'd'))).toMatchObject({
        error: 'limit_exceeded',
        members: { limit: 'schemasPerTreeMax', maximum: 3, actual: 4 },
      });
    });
    must(await register(one, 'a'));
    must(await register(other, 'd'));
    must(await register(harness.operator, 'e'));
  });

  it('have a share of the webhooks, each and as a tree, which the refusal names', async () => {
    const hook = (session: Countersign) =>
      session.webhooks.create({ url: 'https://ci.example/hook', events: ['run_updated'] });
    const refusedFor = async (session: Countersign, limit: string) =>
      unchanged(async () => {
        expect(failure(await hook(session))).toMatchObject({
          error: 'limit_exceeded',
          members: { limit },
        });
      });
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(must(await hook(one)));
    await refusedFor(one, 'webhooksPerSessionMax');
    must(await hook(helper));
    await refusedFor(helper, 'webhooksPerTreeMax');
    must(await one.webhooks.remove(made[0]!.webhook_id));
    must(await hook(helper));
    for (let count = 0; count < 3; count += 1) must(await hook(other));
    // Those of an operator count for no session, and for the whole.
    must(
      await harness.operator.webhooks.create({
        url: 'https://ci.example/hook',
        events: ['run_updated'],
        root_session: 'other',
      }),
    );
    must(await hook(harness.operator));
    await refusedFor(harness.operator, 'webhooksMax');
  });

  it('change only their own webhooks and those of their descendants, and read all of their tree', async () => {
    const about: WebhookCreate = { url: 'https://ci.example/', events: ['session_updated'] };
    const made = {
      operator: must(await harness.operator.webhooks.create({ ...about, root_session: 'one' })).webhook_id,
      one: must(await one.webhooks.create(about)).webhook_id,
      helper: must(await helper.webhooks.create(about)).webhook_id,
    };
    const changes = (mine: Countersign, id: string) => [
      mine.webhooks.disable(id, { reason: 'quiet' }),
      mine.webhooks.enable(id),
      mine.webhooks.redeliver(id, 'dlv_1'),
      mine.webhooks.remove(id),
    ];
    await unchanged(async () => {
      for (const [mine, id] of [
        [one, made.operator],
        [helper, made.operator],
        [helper, made.one],
      ] as const) {
        for (const change of changes(mine, id)) {
          expect(failure(await change)).toMatchObject({
            error: 'forbidden',
            members: { your_session_id: expect.any(String) },
          });
        }
        expect(must(await mine.webhooks.get(id))).toMatchObject({ enabled: true });
        expect(must(await mine.webhooks.deliveries(id, {})).items).toEqual([]);
      }
    });
    expect(must(await one.webhooks.disable(made.helper, {})).enabled).toBe(false);
    must(await helper.webhooks.remove(made.helper));
    must(await one.webhooks.remove(made.one));
    must(await harness.operator.webhooks.remove(made.operator));
  });
});
