// A client that knows workflow_record only from the list of tools, as a model does: it fills in what the description says,
// and corrects itself by the error alone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpClient } from '../../support/mcp.js';
import { must, Stage } from '../../support/stage.js';

let stage: Stage;
let client: McpClient;
beforeAll(async () => {
  stage = await Stage.open({ runner: null });
  must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
  const state = { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: 'root' };
  must(await stage.operator.states.create(state));
  client = await McpClient.http(stage.url, { 'x-agent-session-name': 'root' });
});
afterAll(async () => {
  await client.close();
  await stage.close();
});

/** What the description says that an entry takes: each argument with its words, if it has any. */
function argumentsOf(description: string, entry: string): readonly (readonly [string, readonly string[]])[] {
  const [, text = ''] = new RegExp(`[:;] ${entry} ([^;.]+)[;.]`).exec(description) ?? [];
  return text.split(', ').map((part) => {
    const [name = '', words = ''] = part.trim().split(' ');
    return [name, /^[a-z_]+(\|[a-z_]+)+$/.test(words) ? words.split('|') : []];
  });
}

describe('a decision', () => {
  test('is recorded from the description of the tool, and a wrong one is corrected by its error in one more call', async () => {
    const { tools } = await client.client.listTools();
    const tool = tools.find(({ name }) => name === 'workflow_record');
    const takes = argumentsOf(tool?.description ?? '', 'decision');
    expect(takes.map(([name]) => name)).toEqual(['agent', 'value', 'text', 'reason']);
    const filled = Object.fromEntries(takes.map(([name, [word]]) => [name, word ?? `some ${name}`]));

    const recorded = await client.call('workflow_record', { record: 'decision', ...filled });
    expect(recorded).toMatchObject({ failed: false, value: { changed: true } });

    const wrong = await client.call('workflow_record', { record: 'decision', ...filled, value: 'big' });
    expect(wrong.failed).toBe(true);
    const [, words = ''] = /at \/value .*expected .*?(\[[^\]]*\])/s.exec(wrong.text) ?? [];
    const [, corrected] = JSON.parse(words) as string[];
    const again = await client.call('workflow_record', { record: 'decision', ...filled, value: corrected });
    expect(again).toMatchObject({ failed: false, value: { changed: true } });

    const { open_decisions: decisions } = must(await stage.as('root').workflow.show(await stateId()));
    expect(decisions.map(({ type }) => type)).toEqual([filled['value'], corrected]);
  });
});

async function stateId(): Promise<string> {
  return must(await stage.operator.sessions.get('root')).workflow_state_id ?? '';
}
