// A tool call over HTTP that comes again while the first one is still under way.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPEN_LOOPBACK } from '../../src/domain/access/actor.js';
import { damagedFailure } from '../../src/domain/damage/damage.js';
import { fail, ok } from '../../src/domain/errors.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createMcpTransport } from '../../src/mcp/index.js';
import type { Host } from '../../src/ports/host.js';
import { openHarness, silent, type Harness } from '../service/harness.js';

const HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

function transportWith(once: Host['once'], mcpWaitMsMax: number) {
  const { operator: service } = harness;
  const host = {
    as: () => service,
    identify: () => Promise.reject(new Error('Nobody asks.')),
    damagedRecord: damagedFailure,
    once,
  };
  const limits = { ...DEFAULT_LIMITS, mcpWaitMsMax };
  const transport = createMcpTransport({ host, limits, logger: silent, version: '0.0.0' });
  const params = {
    name: 'start_agent_session',
    arguments: { prompt: 'Go.' },
    _meta: { callId: 'call_0123456789abcdef' },
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return async () => {
    const header = (name: string) => HEADERS[name] ?? null;
    const reply = await transport.reply({ header, body, actor: OPEN_LOOPBACK, service });
    return JSON.parse(reply ?? '').result;
  };
}

const inFlight = () => Promise.resolve(fail('idempotency_in_flight', 'The first one is under way.'));
const ANSWER = { run_id: 'run_1', session_id: 'ses_1', session_name: 'kid', status: 'pending' };

describe('a tool call that comes again', () => {
  test('before the first one has ended waits for it, and gets its answer', async () => {
    let looks = 0;
    const once = (() => {
      looks += 1;
      return looks < 3 ? inFlight() : Promise.resolve(ok({ answer: ANSWER, replayed: true }));
    }) as Host['once'];
    expect(await transportWith(once, 10_000)()).toMatchObject({ structuredContent: ANSWER });
    expect(looks).toBe(3);
  });

  test('is refused after mcpWaitMsMax, and has written nothing', async () => {
    const refused = await transportWith(inFlight, 0)();
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0].text).toMatch(/^idempotency_in_flight: /);
    const { operator } = harness;
    expect(await operator.runs.list({})).toMatchObject({ value: { items: [] } });
  });
});
