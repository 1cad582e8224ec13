// States as resources, subscriptions to them, and a coordinator that is restarted under its clients: the official client
// in both families of revisions, over HTTP and over stdio.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import type { Limits } from '../../../src/domain/limits.js';
import { startCoordinator } from '../../../src/main/coordinator.js';
import { TOOLS } from '../../../src/mcp/index.js';
import { silent } from '../../service/harness.js';
import { eventually } from '../../support/eventually.js';
import { collectGarbage } from '../../support/garbage.js';
import { McpClient, type Revision } from '../../support/mcp.js';
import { must, Stage } from '../../support/stage.js';

const WAYS: readonly (readonly [Revision, 'HTTP' | 'stdio'])[] = [
  ['legacy', 'HTTP'],
  ['modern', 'HTTP'],
  ['legacy', 'stdio'],
  ['modern', 'stdio'],
];

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ runner: null });
});
afterAll(() => stage.close());

describe.each(WAYS)('the %s client over %s', { timeout: 60_000 }, (revision, transport) => {
  const session = `${revision}-${transport}`;
  let root: McpClient;
  let uri: string;

  beforeAll(async () => {
    must(await stage.operator.sessions.create({ session_name: session, external: true }));
    root = await (transport === 'HTTP'
      ? McpClient.http(stage.url, { 'x-agent-session-name': session }, revision)
      : McpClient.stdio({ COUNTERSIGN_URL: stage.url, AGENT_SESSION_NAME: session }, revision));
    const creation = { schema_name: 'any', json_schema: { type: 'object' }, initial_data: { n: 1 } };
    uri = `countersign://states/${String((await root.must('state_create', creation))['state_id'])}`;
  });
  afterAll(() => root.close());

  test('speaks the revision that it asked for', () => {
    const spoken = root.client.getNegotiatedProtocolVersion();
    if (revision === 'modern') expect(spoken).toBe('2026-07-28');
    else expect(spoken).toMatch(/^2025-/);
  });

  test('finds the state in the list, and in the template', async () => {
    const { resources } = await root.client.listResources();
    expect(resources).toMatchObject([{ uri, mimeType: 'application/json', title: `State of ${session}` }]);
    const { resourceTemplates } = await root.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'countersign://states/{state_id}' }]);
  });

  test('reads the document, and hears where there is none', async () => {
    const { contents } = await root.client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json', text: '{"n":1}' }]);
    for (const other of [`${uri}x`, 'countersign://elsewhere/1']) {
      await expect(root.client.readResource({ uri: other })).rejects.toMatchObject({ code: -32602 });
    }
  });

  const hearsOfChanges = async () => {
    const heard: string[] = [];
    root.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params.uri);
    });
    const subscription =
      revision === 'modern' ? await root.client.listen({ resourceSubscriptions: [uri] }) : null;
    if (subscription === null) await root.client.subscribeResource({ uri });
    must(await stage.operator.sessions.create({ session_name: `${session}-other`, external: true }));
    const body = { schema_name: 'any', initial_data: {}, root_session_name: `${session}-other` };
    const other = must(await stage.operator.states.create(body)).state_id;
    // Of the other state it hears nothing, because it did not ask.
    must(await stage.operator.states.replace(other, { count: 1 }, {}));
    must(await stage.operator.states.mergePatch(uri.slice('countersign://states/'.length), { count: 1 }, {}));
    await eventually('it has heard of a change', () => heard.length > 0);
    expect([...new Set(heard)]).toEqual([uri]);
    if (subscription === null) await root.client.unsubscribeResource({ uri });
    else await subscription.close();
  };
  const hearsThatThereAreNone = async () => {
    expect(root.client.getServerCapabilities()?.resources).toMatchObject({ subscribe: false });
    await expect(root.client.subscribeResource({ uri })).rejects.toThrow();
  };
  // Before 2026-07-28 updates over HTTP need a protocol session, and there is none.
  if (revision === 'modern' || transport === 'stdio') {
    test('hears of changes of what it subscribed to, and of nothing else', hearsOfChanges);
  } else {
    test('is told that there are no updates', hearsThatThereAreNone);
  }

  test('goes on working after the coordinator was restarted', async () => {
    await stage.coordinator.end('SIGKILL');
    const away = await root.call('state_read').catch((error: unknown) => ({ text: String(error) }));
    expect(away.text).not.toBe('');
    await stage.startCoordinator();
    expect(await root.must('state_set', { key: 'n', value: 2 })).toMatchObject({ changed: true });
    expect(await root.must('state_read', { pointer: '/n' })).toMatchObject({ value: 2 });
    expect((await root.client.listTools()).tools).toHaveLength(TOOLS.length);
  });
});

test('a client that lists resources before its session exists leaves no warning in the log', async () => {
  const warnings: unknown[] = [];
  const warn = (...said: unknown[]) => void warnings.push(said);
  const coordinator = await startCoordinator({
    ...{ host: '127.0.0.1', port: 0, db: ':memory:', auth: false, allowHosts: [], allowOrigins: [] },
    ...{ limits: {}, logger: { ...silent, warn } },
  });
  const late = await McpClient.http(coordinator.url, { 'x-agent-session-name': 'late' });
  expect((await late.client.listResources()).resources).toEqual([]);
  await late.close();
  await coordinator.close();
  expect(warnings).toEqual([]);
});

describe('subscriptions over HTTP', () => {
  let coordinator: Awaited<ReturnType<typeof startCoordinator>>;
  const start = async (limits: Partial<Limits>) => {
    coordinator = await startCoordinator({
      host: '127.0.0.1',
      port: 0,
      db: ':memory:',
      auth: false,
      allowHosts: [],
      allowOrigins: [],
      limits,
      logger: silent,
    });
  };
  afterEach(() => coordinator.close());
  const stateOf = async (root: McpClient) => {
    const body = { schema_name: 'any', json_schema: { type: 'object' }, initial_data: {} };
    return `countersign://states/${String((await root.must('state_create', body))['state_id'])}`;
  };

  test('end when their time is over', async () => {
    await start({ streamMsMax: 300 });
    const reader = await McpClient.http(coordinator.url);
    const subscription = await reader.client.listen({ resourceSubscriptions: [await stateOf(reader)] });
    await collectGarbage();
    await subscription.closed;
    await reader.close();
  });

  test('leave their place when their client disconnects, even if garbage was collected meanwhile', async () => {
    await start({ mcpSubscriptionsPerCallerMax: 1 });
    const reader = await McpClient.http(coordinator.url);
    const uri = await stateOf(reader);
    const subscribe = () => reader.client.listen({ resourceSubscriptions: [uri] });
    const first = await subscribe();
    await collectGarbage();
    await first.close();
    await eventually('there is a place again', () => subscribe().catch(() => null));
    await reader.close();
  });

  test('are bounded for each session, each tree and each of them, by name; a place that is left is free', async () => {
    await start({
      mcpSubscriptionsPerCallerMax: 2,
      mcpSubscriptionsPerTreeMax: 3,
      mcpResourcesPerSubscriptionMax: 2,
    });
    const operator = createClient({ url: coordinator.url });
    for (const body of [
      { session_name: 'root' },
      { session_name: 'child', parent_session_name: 'root' },
      { session_name: 'other' },
    ]) {
      must(await operator.sessions.create({ ...body, external: true }));
    }
    const as = (name: string) => McpClient.http(coordinator.url, { 'x-agent-session-name': name });
    const [root, child, other] = [await as('root'), await as('child'), await as('other')];
    const uri = await stateOf(root);
    const subscribe = (one: McpClient, uris = [uri]) => one.client.listen({ resourceSubscriptions: uris });
    await expect(subscribe(root, [uri, uri, uri])).rejects.toThrow('mcpResourcesPerSubscriptionMax');
    const first = await subscribe(root);
    await subscribe(root);
    await expect(subscribe(root)).rejects.toThrow('mcpSubscriptionsPerCallerMax');
    await subscribe(child);
    await expect(subscribe(child)).rejects.toThrow('mcpSubscriptionsPerTreeMax');
    await subscribe(other, [await stateOf(other)]);
    await first.close();
    await eventually('there is a place again', () => subscribe(child).catch(() => null));
    for (const one of [root, child, other]) await one.close();
  });
});
