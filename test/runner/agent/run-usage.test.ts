import { expect, it } from 'vitest';
import { RunUsage } from '../../../src/runner/agent/run-usage.js';

const started = { resumes: false };
const resumed = { resumes: true };

it('of a run is the difference to what its conversation had cost before', () => {
  const usage = new RunUsage();
  expect(usage.of(started, 'a', { input_tokens: 10, output_tokens: 5, turns: 1 })).toEqual({
    input_tokens: 10,
    output_tokens: 5,
    turns: 1,
  });
  const total = { input_tokens: 30, cached_input_tokens: 4, output_tokens: 15, turns: 1 };
  expect(usage.of(resumed, 'a', total)).toEqual({
    input_tokens: 20,
    cached_input_tokens: 4,
    output_tokens: 10,
    turns: 1,
  });
  expect(usage.of(started, 'b', { input_tokens: 7 })).toEqual({ input_tokens: 7 });
});

it('of a conversation that is not known is that of the whole, and says so', () => {
  const usage = new RunUsage();
  expect(usage.of(resumed, 'a', { input_tokens: 30 })).toEqual({
    input_tokens: 30,
    whole_conversation: true,
  });
  expect(usage.of(resumed, 'a', { input_tokens: 31 })).toEqual({ input_tokens: 1 });
});
