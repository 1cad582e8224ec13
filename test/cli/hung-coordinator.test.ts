// Commands against a coordinator that takes requests and answers none. The clock is the test's.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hookEntries } from '../../src/agent-clients/settings/hook-entries.js';
import { AGENT_CLIENTS } from '../../src/agent-clients/index.js';
import { startHttpDouble, type HttpDouble } from '../client/http-double.js';
import { clockUntil } from './clock-until.js';
import { cli } from './io-double.js';

let double: HttpDouble;
beforeEach(async () => {
  double = await startHttpDouble(() => null);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await double.close();
});

/** What `connect` writes for a client, whose people read what a hook says. */
const installed = (
  await Promise.all(AGENT_CLIENTS.map(async ({ name, settings }) => [name, await settings()] as const))
).flatMap(([client, settings]) =>
  [undefined, 0, 5_000].flatMap((waitMs) =>
    hookEntries({ client, gate: true, agents: ['reviewer'], waitMs, url: undefined }, settings.hooks).filter(
      ({ command }) => !/ hook (wake|session-end) /.test(command),
    ),
  ),
);

it.each(installed)('$command ends before its client ends it', async ({ command, event, timeoutMs }) => {
  const [, ...argv] = command.replace(' || exit 2', '').split(' ');
  const subagent = { agent_id: 'a-1', agent_type: 'reviewer' };
  const input = { hook_event_name: event, session_id: 'c-1', tool_name: 'Write', ...subagent };
  const ran = cli(argv, { stdin: JSON.stringify(input), env: { COUNTERSIGN_URL: double.url } });
  // Starting the program takes some of the time, too.
  expect(await clockUntil(ran)).toBeLessThan(timeoutMs * 0.9);
  const { out, err } = await ran;
  expect(out + err).toMatch(/Countersign (cannot be asked|denies)|did not answer/);
});

it.each([
  ['state', 'wait', 'sta_1', '--until', '/status=done', '--timeout', '2s'],
  ['callback', 'pull', 'orchestrator', '--wait', '2s'],
])('%s %s ends soon after its time', async (...argv) => {
  const ran = cli(argv, { env: { COUNTERSIGN_URL: double.url } });
  expect(await clockUntil(ran)).toBeLessThan(10_000);
  expect(await ran).toMatchObject({ code: 3, err: expect.stringContaining('did not answer in time') });
});
