// opencode, as it was seen to behave.
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

export const OPENCODE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'writes after a refusal',
    script: turns({ say: 'I write.', ...write('high') }, write(1), { say: 'Recorded.\n{"score":1}' }),
    tools: 'there',
    expected: {
      kind: 'completed',
      resultText: 'Recorded.\n{"score":1}',
      resultData: { score: 1 },
      usage: { input_tokens: 30, cached_input_tokens: 0, output_tokens: 15, turns: 3, cost_usd: 0 },
    },
  },
  {
    name: 'goes on with a conversation',
    script: turns({ say: 'Still here.' }),
    resumes: 'last',
    tools: 'unknown', // only the first call of one tells
    expected: { kind: 'completed', resultText: 'Still here.' },
  },
  {
    name: 'does not find its conversation',
    script: turns({ say: 'Never.' }),
    resumes: 'unknown',
    tools: 'unknown',
    expected: { kind: 'failed', cause: 'environment', error: containing('Session not found') },
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
    script: turns({ say: 'I am done.' }),
    mcp: 'away',
    tools: 'missing',
    expected: { kind: 'failed', cause: 'environment', error: containing('without the tools of the state') },
  },
  {
    name: 'comes up without another server',
    script: turns({ say: 'I write.', ...write(1) }, { say: 'Recorded.' }),
    beside: 'countersign-else',
    tools: 'there',
    expected: { kind: 'completed', resultText: 'Recorded.' },
  },
  {
    name: 'calls a tool that is not there',
    script: turns({ say: 'I write.', ...write(1) }, { say: 'Recorded.' }),
    mcp: 'away',
    tools: 'missing',
    expected: { kind: 'failed', cause: 'environment', error: containing('without the tools of the state') },
  },
  {
    name: 'sends a request that is refused',
    script: turns({ status: 400, error: 'invalid_request_error', message: 'prompt: wrong' }),
    tools: 'unknown',
    expected: { kind: 'failed', cause: 'agent', error: containing('prompt: wrong') },
  },
  {
    name: 'has no right to the model',
    script: turns({ status: 401, error: 'authentication_error', message: 'the key is unknown' }),
    tools: 'unknown',
    expected: { kind: 'failed', cause: 'configuration', error: containing('the key is unknown') },
  },
];
