// Codex, as it was seen to behave.
import { expect } from 'vitest';
import { turns } from '../../clients/stand-in/script.js';
import type { Scenario } from './scenario.js';

const write = (score: unknown) => ({
  call: {
    tool: 'state_patch',
    input: { operations: [{ op: 'add', path: '/result', value: { score } }] },
  },
});
const wait = { call: { tool: 'wait_for_state', input: { until: { required: ['never'] } } } };
const containing = (text: string) => expect.stringContaining(text);

export const CODEX_SCENARIOS: readonly Scenario[] = [
  {
    name: 'writes after a refusal',
    script: turns({ say: 'I write.', ...write('high') }, write(1), { say: 'Recorded.\n{"score":1}' }),
    tools: 'there',
    expected: {
      kind: 'completed',
      resultText: 'Recorded.\n{"score":1}',
      resultData: { score: 1 },
      usage: {
        input_tokens: 30,
        cached_input_tokens: 0,
        output_tokens: 15,
        turns: 1,
      },
    },
  },
  {
    name: 'goes on with a conversation',
    script: turns({ say: 'Still here.' }),
    resumes: 'last',
    tools: 'there',
    expected: { kind: 'completed', resultText: 'Still here.' },
  },
  {
    name: 'does not find its conversation',
    script: turns({ say: 'Never.' }),
    resumes: 'unknown',
    tools: 'unknown',
    expected: { kind: 'failed', cause: 'environment', error: containing('no rollout found') },
  },
  {
    name: 'waits in vain for the tools',
    script: turns({ say: 'I am done.' }),
    mcp: 'silent',
    tools: 'missing',
    expected: { kind: 'failed', cause: 'environment', error: containing('without the tools of the state') },
  },
  {
    name: 'comes up without the tools',
    script: turns({ say: 'I write.', ...write(1) }, { say: 'Recorded.' }),
    mcp: 'away',
    tools: 'missing', // it says so on standard error, and nothing in its stream
    expected: { kind: 'failed', cause: 'environment', error: containing('without the tools of the state') },
  },
  {
    name: 'meets a rate limit',
    script: turns({ status: 429, error: 'rate_limit_exceeded', message: 'slow down' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'rate_limit', error: containing('429') },
  },
  {
    name: 'meets a model in trouble',
    script: turns({ status: 500, error: 'server_error', message: 'Oh no' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'environment', error: containing('high demand') },
  },
  {
    name: 'shows a key that is refused',
    script: turns({ status: 401, error: 'invalid_api_key', message: 'Incorrect API key provided' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'configuration', error: containing('401') },
  },
  {
    name: 'sends a request that is refused',
    script: turns({ status: 400, error: 'invalid_request_error', message: 'input: wrong' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'agent', error: containing('input: wrong') },
  },
  {
    name: 'has no key',
    script: turns({ say: 'Never.' }),
    anonymous: true,
    tools: 'there',
    expected: { kind: 'failed', cause: 'configuration', error: containing('OPENAI_API_KEY') },
  },
  {
    name: 'is interrupted',
    script: turns({ say: 'I wait.', ...wait }),
    signal: { name: 'SIGINT', afterLines: 4 },
    tools: 'there',
    expected: { kind: 'failed', cause: 'environment', resultText: 'I wait.' },
  },
  {
    name: 'is terminated',
    script: turns({ say: 'I wait.', ...wait }),
    signal: { name: 'SIGTERM', afterLines: 4 },
    tools: 'there',
    expected: { kind: 'failed', cause: 'environment', resultText: 'I wait.' },
  },
  {
    name: 'is held to its output',
    script: turns({ say: '{"score":3}' }),
    resumes: 'last',
    heldTo: {
      pointer: '/result',
      schema: {
        type: 'object',
        properties: { score: { type: 'integer' } },
        required: ['score'],
        additionalProperties: false,
      },
    },
    tools: 'there',
    expected: { kind: 'completed', stateValue: { score: 3 } },
  },
  {
    name: 'is held to its output as text',
    script: turns({ say: JSON.stringify({ value_as_json: '{"score":4}' }) }),
    resumes: 'last',
    heldTo: { pointer: '/result', schema: { required: ['score'] } },
    tools: 'there',
    expected: { kind: 'completed', stateValue: { score: 4 } },
  },
];
