import { describe, expect, it } from 'vitest';
import { agentClient } from '../../../src/agent-clients/index.js';
import { acceptsRefusal, mayRepeat } from '../../../src/domain/hooks/refusals.js';

describe('the cap on refusals', () => {
  const limits = { hookAttemptsMax: 20 };
  it.each([
    ['claude-code', 7, null, true],
    ['claude-code', 8, null, false],
    ['claude-code', 8, 12, true],
    ['claude-code', 12, 12, false],
    ['claude-code', 2, 2, false],
    ['claude-code', 19, 0, true],
    ['claude-code', 20, 0, false],
    ['claude-code', 20, 50, false],
    ['codex', 19, null, true],
    ['codex', 20, null, false],
    ['gemini', 19, null, true],
  ] as const)('of %s after %d refusals, told %s: one more %s', (client, soFar, cap, takes) => {
    expect(acceptsRefusal(agentClient(client), soFar, cap, limits)).toBe(takes);
  });

  it('is the client’s own where it has one', () => {
    expect(agentClient('claude-code').refusalsInARowMax).toBe(8);
  });
});

describe('callbacks that were handed over', () => {
  it.each([
    [0, true],
    [2, true],
    [3, false],
  ])('and not acknowledged %d times in a row are handed over again: %s', (unconfirmed, again) => {
    expect(mayRepeat(unconfirmed, { hookUnheardAttemptsMax: 3 })).toBe(again);
  });
});
