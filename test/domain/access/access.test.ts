import { describe, expect, it } from 'vitest';
import { mayControl, mayReachTree, mayActAs, mayUse, type Right } from '../../../src/domain/access/access.js';
import { fail } from '../../../src/domain/errors.js';
import type { Actor } from '../../../src/domain/access/actor.js';

const session: Actor = { kind: 'session', sessionId: 'ses_a', rootSessionId: 'ses_root', runId: null };
const token = (role: 'orchestrator' | 'runner' | 'reader'): Actor => ({
  kind: 'token',
  role,
  tokenName: 'ci',
});
const ACTORS = {
  operator: { kind: 'operator', tokenName: null },
  orchestrator: token('orchestrator'),
  runner: token('runner'),
  reader: token('reader'),
  session,
} as const satisfies Record<string, Actor>;

const RIGHTS: readonly Right[] = ['read', 'orchestrate', 'run', 'operate'];
const MAY: Readonly<Record<keyof typeof ACTORS, readonly Right[]>> = {
  operator: ['read', 'orchestrate', 'run', 'operate'],
  orchestrator: ['read', 'orchestrate', 'operate'],
  runner: ['read', 'run'],
  reader: ['read'],
  session: ['read', 'orchestrate'],
};

describe('access', () => {
  const cases = Object.entries(ACTORS).flatMap(([who, actor]) =>
    RIGHTS.map((right) => ({ who, actor, right, may: MAY[who as keyof typeof ACTORS].includes(right) })),
  );
  it.each(cases)('$who may $right: $may', ({ actor, right, may }) => {
    const result = mayUse(actor, right);
    expect(result.ok).toBe(may);
    if (!result.ok) expect(result.failure).toMatchObject({ error: 'forbidden', members: { right } });
  });

  it.each([
    ['its own', 'ses_root', true],
    ['another', 'ses_other', false],
  ])('lets a session reach %s tree: %s %s', (_which, rootSessionId, may) => {
    const missing = () => fail('state_not_found', 'There is none.');
    const result = mayReachTree(session, rootSessionId, missing);
    expect(result).toEqual(may ? { ok: true, value: null } : missing());
    for (const other of [ACTORS.operator, ACTORS.orchestrator, ACTORS.runner, ACTORS.reader])
      expect(mayReachTree(other, rootSessionId, missing).ok).toBe(true);
  });

  it('lets a session speak for itself only', () => {
    expect(mayActAs(session, 'ses_a').ok).toBe(true);
    expect(mayActAs(session, 'ses_b').ok).toBe(false);
    expect(mayActAs(ACTORS.operator, 'ses_b').ok).toBe(true);
  });

  it.each([
    ['a descendant', ['ses_a', 'ses_root'], true],
    ['itself', ['ses_root'], false],
    ['a root', [], false],
  ])('lets a session direct %s: %s %s', (_which, ancestors, may) => {
    expect(mayControl(session, ancestors).ok).toBe(may);
    expect(mayControl(ACTORS.orchestrator, ancestors).ok).toBe(true);
  });
});
