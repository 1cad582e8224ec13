// Which ids of tool calls are taken for what they say, and what makes two calls the same.
import { describe, expect, test } from 'vitest';
import { keyedCall, toolCallIdOf } from '../../src/mcp/tool-call-id.js';

const ID = 'toolu_01A09q90qw90lq917835lq9';

describe('the id of a tool call', () => {
  test.each([
    ['Claude Code', { 'claudecode/toolUseId': ID, progressToken: 3 }],
    ['Codex', { callId: ID, threadId: 'th_1' }],
    ['any client', { 'countersign/toolCallId': ID }],
  ])('is taken from the metadata of %s', (_, meta) => {
    expect(toolCallIdOf(meta)).toBe(ID);
  });

  test.each([
    ['no metadata', undefined],
    ['a progress token: it begins again with every connection', { progressToken: ID }],
    ['an id that only numbers the calls of an answer', { callId: 'call_0' }],
    ['an id that is no text', { callId: 1234567890123456 }],
    ['an id that is too long', { callId: 'x'.repeat(256) }],
    ['an id that no header can carry', { callId: `${ID}\n` }],
    ['a member of the prototype', Object.create({ callId: ID })],
  ])('is none for %s', (_, meta) => {
    expect(toolCallIdOf(meta)).toBeNull();
  });

  test('makes one call of what is sent again, and another of another tool or other arguments', () => {
    const first = keyedCall(ID, 'state_increment', { key: 'n' });
    expect(keyedCall(ID, 'state_increment', { key: 'n' })).toEqual(first);
    const others = [
      keyedCall(`${ID}x`, 'state_increment', { key: 'n' }),
      keyedCall(ID, 'state_increment', { key: 'm' }),
      keyedCall(ID, 'state_append', { key: 'n' }),
    ];
    expect(new Set([first, ...others].map(({ key }) => key)).size).toBe(4);
    expect(first.key).toMatch(/^mcp-[0-9a-f]{64}$/);
  });
});
