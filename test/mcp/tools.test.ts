// The list of tools as clients and models get it.
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { Check } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { TOOLS } from '../../src/mcp/index.js';
import { createMcpServer } from '../../src/mcp/server.js';
import { openHarness, silent } from '../service/harness.js';

/** The next model's tokens may be shorter than those that are counted. */
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_MAX = 4000;

describe('the list of tools', () => {
  test('fits a context as it goes out: under 4,000 tokens in all', async () => {
    const harness = await openHarness();
    const { operator: service } = harness;
    const server = createMcpServer({
      service,
      once: (_, work) => work(service),
      caller: { session: null, stateId: null },
      limits: DEFAULT_LIMITS,
      logger: silent,
      version: '0.0.0',
      subscribe: true,
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(far), client.connect(near)]);
    const { tools } = await client.listTools();
    await client.close();
    await harness.close();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const text = JSON.stringify(tools);
    expect(text.length / CHARACTERS_PER_TOKEN).toBeLessThan(TOKENS_MAX);
    expect({ o200k: countO200k(text), cl100k: countCl100k(text) }).toEqual({
      o200k: expect.toSatisfy((tokens: number) => tokens < TOKENS_MAX),
      cl100k: expect.toSatisfy((tokens: number) => tokens < TOKENS_MAX),
    });
  });

  test('has the tools of the contract', () => {
    expect(TOOLS.map(({ name }) => name)).toEqual([
      'state_create',
      'state_read',
      'state_update',
      'state_patch',
      'state_schema',
      'state_get',
      'state_set',
      'state_delete',
      'state_increment',
      'state_append',
      'workflow_record',
      'start_agent_session',
      'resume_agent_session',
      'get_agent_session_status',
      'get_agent_session_result',
      'list_agent_sessions',
      'stop_agent_session',
      'wait_for_state',
      'list_agent_blueprints',
    ]);
  });

  test.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s says when to use it', (_, tool) => {
    expect(tool.description).toMatch(/^Use .+\./);
  });

  test.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s has a flat input', (_, { input }) => {
    expect(Object.keys(input).sort()).toEqual(
      expect.arrayContaining(['additionalProperties', 'properties', 'type']),
    );
    for (const word of ['oneOf', 'anyOf', 'allOf', '$ref']) expect(JSON.stringify(input)).not.toContain(word);
  });

  test.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s takes its own example', (_, tool) => {
    expect(Check(tool.input, tool.example)).toBe(true);
  });

  test('says which tools only look', () => {
    const looking = TOOLS.filter(({ annotations }) => annotations.readOnlyHint === true);
    expect(looking.map(({ name }) => name)).toEqual([
      'state_read',
      'state_schema',
      'state_get',
      'get_agent_session_status',
      'get_agent_session_result',
      'list_agent_sessions',
      'wait_for_state',
      'list_agent_blueprints',
    ]);
  });
});
