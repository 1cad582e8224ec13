// States as resources, subscriptions to them, and a coordinator that is restarted under its clients: the official client
// in both families of revisions, over HTTP and over stdio.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCoordinator } from '../../src/main/coordinator.js';
import { TOOLS } from '../../src/mcp/index.js';
import { silent } from '../service/harness.js';
import { eventually } from '../support/eventually.js';
import { McpClient, type Revision } from '../support/mcp.js';
import { must, Stage } from '../support/stage.js';

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
    let count = 0;
    await eventually('it has heard of a change', async () => {
      count += 1;
      // Of the other state it hears nothing, because it did not ask.
      must(await stage.operator.states.replace(other, { count }, {}));
      await root.must('state_set', { key: 'count', value: count });
      return heard.length > 0;
    });
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

test('a subscription over HTTP ends when its time is over', async () => {
  const coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: ':memory:',
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: { streamMsMax: 300 },
    logger: silent,
  });
  const reader = await McpClient.http(coordinator.url);
  const body = { schema_name: 'any', json_schema: { type: 'object' }, initial_data: {} };
  const created = await reader.must('state_create', body);
  const uri = `countersign://states/${String(created['state_id'])}`;
  const subscription = await reader.client.listen({ resourceSubscriptions: [uri] });
  await subscription.closed;
  await reader.close();
  await coordinator.close();
});
