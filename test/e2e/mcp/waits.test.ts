// What ends a wait over HTTP early: the service stops, or the caller is no longer allowed. Either way it is answered.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { startCoordinator } from '../../../src/main/coordinator.js';
import { McpClient, type Revision } from '../../support/mcp.js';
import { must } from '../../support/stage.js';
import { silent } from '../../service/harness.js';

let coordinator: Awaited<ReturnType<typeof startCoordinator>>;
let operator: ReturnType<typeof createClient>;

beforeEach(async () => {
  coordinator = await startCoordinator({
    ...{ host: '127.0.0.1', port: 0, db: ':memory:', auth: false, allowHosts: [], allowOrigins: [] },
    ...{ limits: { callerRecheckMs: 50 }, logger: silent },
  });
  operator = createClient({ url: coordinator.url });
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  must(await operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: 'root' }));
  const child = { session_name: 'kid', parent_session_name: 'root', external: true };
  must(await operator.sessions.create(child));
});
afterEach(() => coordinator.close());

describe.each<Revision>(['modern', 'legacy'])('a wait over HTTP (%s)', (revision) => {
  /** Calls the tool, and does something once it waits. */
  async function during(work: () => Promise<unknown>): Promise<{ failed: boolean; text: string }> {
    const kid = await McpClient.http(coordinator.url, { 'x-agent-session-name': 'kid' }, revision);
    let begun: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (begun = resolve));
    const params = { until: { required: ['x'] }, timeout_seconds: 20 };
    const answer = kid.client.callTool(
      { name: 'wait_for_state', arguments: params },
      { onprogress: () => begun() },
    );
    await waits;
    const [settled] = await Promise.allSettled([answer, work()]);
    await kid.close();
    if (settled.status === 'rejected') return { failed: true, text: String(settled.reason) };
    return { failed: settled.value.isError === true, text: JSON.stringify(settled.value.content) };
  }

  it('is answered when the service stops', async () => {
    const { failed, text } = await during(() => coordinator.close());
    expect(failed).toBe(false);
    expect(text).toContain('matched\\":false');
  });

  it('says so when its session is deleted', async () => {
    const { failed, text } = await during(async () => must(await operator.sessions.remove('kid')));
    expect(failed).toBe(true);
    expect(text).toContain('session_not_found');
  });
});
