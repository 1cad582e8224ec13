// A schema whose validator gives no verdict (`$async` makes it answer with a promise): refused at every place that takes a
// schema, and harmless where an earlier version of the program has stored one.
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { createMcpServer } from '../../../src/mcp/server.js';
import { Receiver } from '../../support/receiver.js';
import { must, openHarness, failure, silent, type Harness } from '../harness.js';

const SOUND: JsonObject = { type: 'object', properties: { n: { type: 'integer' } } };
const ASYNC: JsonObject = { ...SOUND, $async: true };
/** Where a schema of Ajv would be asynchronous, and the same word where it is none of Ajv's. */
const SCHEMAS: readonly (readonly [string, JsonObject])[] = [
  ['/$async', ASYNC],
  ['/$async', { ...SOUND, $async: false }],
  ['/properties/n/$async', { type: 'object', properties: { n: { $async: true } } }],
  ['/$defs/a/$async', { type: 'object', $ref: '#/$defs/a', $defs: { a: ASYNC } }],
  ['/$defs/unused/$async', { type: 'object', $defs: { unused: ASYNC } }],
  ['/$defs/a/$async', { type: 'object', $ref: 'a', $defs: { a: { $id: 'a', ...ASYNC } } }],
  ['/contentSchema/$async', { type: 'object', contentSchema: ASYNC }],
  ['/dependencies/n/$async', { type: 'object', dependencies: { n: ASYNC } }],
];

let harness: Harness;
let stateId: string;
beforeEach(async () => {
  harness = await openHarness({}, false, { allow: ['127.0.0.0/8'], random: () => 0.5 });
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'plan', json_schema: SOUND }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'plan', initial_data: { n: 0 } })).state_id;
});
afterEach(() => harness.close());

/** What every call that takes a schema answers, with the place of the schema in the request. */
async function answers(schema: JsonObject) {
  const { operator } = harness;
  const root = await harness.as('root');
  const contract = { pointer: '/n', schema };
  const child = { type: 'start_session', session_name: 'child', prompt: 'work', callback: true } as const;
  return {
    registered: ['', await operator.schemas.register({ name: 'plan', json_schema: schema })],
    tried: ['', await operator.schemas.tryRegister({ name: 'plan', json_schema: schema })],
    until: ['/until', await operator.states.wait(stateId, { until: schema })],
    failOn: ['/fail_on', await operator.states.wait(stateId, { until: { not: {} }, fail_on: schema })],
    when: [
      '/when',
      await operator.webhooks.create({
        url: 'http://127.0.0.1:9/',
        events: ['workflow_state_updated'],
        when: schema,
      }),
    ],
    contract: ['/completion/contract/schema', await root.runs.create({ ...child, completion: { contract } })],
  } as const;
}

describe('a schema with "$async"', () => {
  it('is refused by name wherever a schema is taken, whatever the place of the word', async () => {
    const before = harness.dump();
    for (const [pointer, schema] of SCHEMAS) {
      for (const [place, result] of Object.values(await answers(schema))) {
        const { error, members } = failure(result);
        expect(error).toBe('invalid_schema');
        expect(members['errors']).toContainEqual({
          pointer: place + pointer,
          keyword: 'additionalProperties',
          message: 'the keyword "$async" is not known in 2020-12',
          expected: 'leave it out: documents are checked at once',
        });
      }
    }
    expect(harness.dump()).toBe(before);
  });

  it('is refused by the tools of MCP', async () => {
    const service = await harness.as('root');
    const server = createMcpServer({
      service,
      once: (_, work) => work(service),
      caller: { session: 'root', stateId: null },
      limits: DEFAULT_LIMITS,
      logger: silent,
      version: '0.0.0',
      subscribe: true,
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(far), client.connect(near)]);
    const calls = [
      { name: 'state_create', arguments: { schema_name: 'other', json_schema: ASYNC, initial_data: {} } },
      { name: 'wait_for_state', arguments: { state_id: stateId, until: ASYNC, timeout_seconds: 0 } },
    ];
    const before = harness.dump();
    for (const call of calls) {
      const answer = await client.callTool(call);
      expect(answer).toMatchObject({ isError: true });
      expect(JSON.stringify(answer.content)).toContain('$async');
    }
    expect(harness.dump()).toBe(before);
    await client.close();
  });
});

describe('what was stored with "$async" by an earlier version', () => {
  const setAsync = (table: string, column: string) =>
    harness.tamper(
      `update ${table} set ${column} = replace(${column}, '"type":"object"', '"$async":true,"type":"object"')`,
    );

  it('as the schema of a state gives verdicts', async () => {
    setAsync('workflow_schemas', 'json_schema');
    await harness.restart();
    const { states } = harness.operator;
    expect(must(await states.mergePatch(stateId, { n: 1 }, {})).version).toBe(2);
    const before = harness.dump();
    expect(failure(await states.mergePatch(stateId, { n: 'x' }, {}))).toMatchObject({
      error: 'validation_failed',
      members: { errors: [{ pointer: '/n', keyword: 'type' }] },
    });
    expect(harness.dump()).toBe(before);
  });

  it('as the condition of a webhook is checked, and the service starts', async () => {
    const receiver = await Receiver.open();
    const when = { type: 'object', properties: { n: { minimum: 2 } } };
    const url = receiver.url();
    must(await harness.operator.webhooks.create({ url, events: ['workflow_state_updated'], when }));
    setAsync('webhooks', 'condition');
    await harness.restart();
    for (const n of [1, 2]) must(await harness.operator.states.mergePatch(stateId, { n }, {}));
    const [deliveries] = await receiver.got(1);
    expect(deliveries!.json.data).toMatchObject({ version: 3 });
    await receiver.close();
  });
});
