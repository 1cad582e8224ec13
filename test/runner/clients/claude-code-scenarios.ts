// Claude Code, as it was seen to behave.
import { expect } from 'vitest';
import { turns } from '../../clients/stand-in/script.js';
import type { Scenario } from './scenario.js';

const write = (score: unknown) => ({
  call: {
    tool: 'state_patch',
    input: { operations: [{ op: 'add', path: '/result', value: { score } }] },
  },
});
const containing = (text: string) => expect.stringContaining(text);

export const CLAUDE_CODE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'writes after a refusal',
    script: turns({ say: 'I write.', ...write('high') }, write(1), { say: 'Recorded.\n{"score":1}' }),
    tools: 'there',
    expected: {
      kind: 'completed',
      resultText: 'Recorded.\n{"score":1}',
      resultData: { score: 1 },
      usage: expect.objectContaining({ input_tokens: 30, output_tokens: 60, turns: 3 }),
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
    expected: { kind: 'failed', cause: 'environment', error: containing('No conversation found') },
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
    tools: 'missing',
    expected: { kind: 'failed', cause: 'environment', error: containing('without the tools of the state') },
  },
  {
    name: 'meets a rate limit',
    script: turns({ status: 429, error: 'rate_limit_error', message: 'slow down' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'rate_limit', error: containing('429') },
  },
  {
    name: 'meets an overloaded model',
    script: turns({ status: 529, error: 'overloaded_error', message: 'Overloaded' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'environment', error: containing('529') },
  },
  {
    name: 'is out of credit',
    script: turns({
      status: 400,
      error: 'invalid_request_error',
      message: 'Your credit balance is too low to access the Anthropic API.',
    }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'configuration', error: containing('Credit balance') },
  },
  {
    name: 'sends a request that is refused',
    script: turns({ status: 400, error: 'invalid_request_error', message: 'prompt: wrong' }),
    tools: 'there',
    expected: { kind: 'failed', cause: 'agent', error: containing('prompt: wrong') },
  },
  {
    name: 'finds its model away',
    script: turns({ say: 'Never.' }),
    api: 'away',
    tools: 'there',
    expected: {
      kind: 'failed',
      cause: 'environment',
      error: expect.stringMatching(/unable to connect|connection refused/i),
    },
  },
  {
    name: 'is not logged in',
    script: turns({ say: 'Never.' }),
    anonymous: true,
    tools: 'there',
    expected: { kind: 'failed', cause: 'configuration', error: containing('Not logged in') },
  },
  {
    name: 'runs out of turns',
    script: turns({ say: 'I look.', call: { tool: 'state_read', input: {} } }),
    args: ['--max-turns', '2'],
    tools: 'there',
    expected: {
      kind: 'failed',
      cause: 'agent',
      error: containing('maximum number of turns'),
      resultText: 'I look.',
    },
  },
  {
    name: 'is interrupted',
    script: turns({
      say: 'I wait.',
      call: { tool: 'wait_for_state', input: { until: { required: ['never'] } } },
    }),
    signal: { name: 'SIGINT', afterLines: 3 },
    tools: 'there',
    expected: { kind: 'failed', cause: 'environment', resultText: 'I wait.' },
  },
  {
    name: 'is terminated',
    script: turns({
      say: 'I wait.',
      call: { tool: 'wait_for_state', input: { until: { required: ['never'] } } },
    }),
    signal: { name: 'SIGTERM', afterLines: 3 },
    tools: 'there',
    expected: {
      kind: 'failed',
      cause: 'environment',
      resultText: 'I wait.',
      error: containing('143'),
      usage: { input_tokens: 10, output_tokens: 1, turns: 1 },
    },
  },
  {
    name: 'is held to its output',
    script: turns(
      { call: { tool: 'StructuredOutput', input: { score: 'high' } } },
      { call: { tool: 'StructuredOutput', input: { score: 3 } } },
      { say: 'Done.' },
    ),
    resumes: 'last',
    heldTo: {
      pointer: '/result',
      schema: { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] },
    },
    tools: 'missing',
    expected: { kind: 'completed', stateValue: { score: 3 } },
  },
  {
    name: 'is held to a value that is no object',
    script: turns({ call: { tool: 'StructuredOutput', input: { value: 7 } } }, { say: 'Done.' }),
    resumes: 'last',
    heldTo: { pointer: '/count', schema: { $ref: '#/$defs/n', $defs: { n: { type: 'integer' } } } },
    tools: 'missing',
    expected: { kind: 'completed', stateValue: 7 },
  },
  {
    name: 'answers in prose all the same',
    script: turns({ say: 'Three, I think.' }),
    resumes: 'last',
    heldTo: { pointer: '/result', schema: { type: 'object', properties: { score: { type: 'integer' } } } },
    tools: 'missing',
    expected: { kind: 'completed', resultText: 'Three, I think.' },
  },
];
