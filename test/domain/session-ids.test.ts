import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundSessionId } from '../../src/domain/session-ids.js';
import { AGENT_CLIENT_NAMES } from '../../src/agent-clients/index.js';
import { anyText } from '../support/any-text.js';

describe('the session of a client', () => {
  it('can be told from the client’s own id', () => {
    const id = '0b54a1f6-93f7-4e0c-9ac5-0d2a4cf1b5a1';
    expect(boundSessionId('claude-code', id)).toBe(`ses_claude-code-${id}`);
    expect(boundSessionId('codex', id)).toBe(`ses_codex-${id}`);
  });

  it('has an id that the API takes, always the same, and never that of another', () => {
    const text = anyText({ minLength: 1, maxLength: 600 });
    const key = fc.record({
      client: fc.constantFrom(...AGENT_CLIENT_NAMES),
      id: text,
      agent: fc.option(text),
    });
    const idOf = ({ client, id, agent }: { client: never; id: string; agent: string | null }) =>
      boundSessionId(client, id, agent ?? undefined);
    fc.assert(
      fc.property(key as fc.Arbitrary<any>, key as fc.Arbitrary<any>, (a, b) => {
        expect(idOf(a)).toMatch(/^ses_[A-Za-z0-9_-]{1,60}$/);
        expect(idOf(a)).toBe(idOf({ ...a }));
        if (JSON.stringify(a) !== JSON.stringify(b)) expect(idOf(a)).not.toBe(idOf(b));
      }),
    );
  });
});
