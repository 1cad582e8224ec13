// Tokens: one name in force once, a revocation for good, and how long that of a session counts.
import { describe, expect, it } from 'vitest';
import { actorOf, createToken, revokeToken, sessionTokenCounts } from '../../../src/domain/access/tokens.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { aRun, aSession, aToken, NOW } from '../../store/records.js';
import { must, refusalOf, World } from '../world.js';

const CI = { name: 'ci', role: 'reader', hash: 'h' } as const;

describe('a token', () => {
  it('is made once for a name, until it is revoked', () => {
    const world = new World();
    const made = must(world.decide((unit) => createToken(unit, CI)));
    expect(world.store.tokens.get(made.tokenId)).toMatchObject({ ...CI, revokedAt: null, revision: 1 });
    const before = world.store.written.length;
    expect(refusalOf(world.decide((unit) => createToken(unit, CI))).error).toBe('token_exists');
    expect(world.store.written).toHaveLength(before);
    world.now += 5;
    expect(must(world.decide((unit) => revokeToken(unit, 'ci'))).revokedAt).toBe(world.now);
    expect(must(world.decide((unit) => createToken(unit, CI))).tokenId).not.toBe(made.tokenId);
  });

  it('is revoked by its id too, and once', () => {
    const world = new World();
    const { tokenId } = must(world.decide((unit) => createToken(unit, CI)));
    must(world.decide((unit) => revokeToken(unit, tokenId)));
    const before = world.store.written.length;
    for (const named of [tokenId, 'ci', 'nobody'])
      expect(refusalOf(world.decide((unit) => revokeToken(unit, named))).error).toBe('token_not_found');
    expect(world.store.written).toHaveLength(before);
  });

  it.each([
    [null, null],
    [aToken({ revokedAt: NOW }), null],
    [aToken({ name: 'boss', role: 'admin' }), { kind: 'operator', tokenName: 'boss' }],
    [aToken({ name: 'ci', role: 'reader' }), { kind: 'token', role: 'reader', tokenName: 'ci' }],
  ])('stands for whom it was made: %#', (token, actor) => {
    expect(actorOf(token)).toEqual(actor);
  });
});

describe('the token of a session', () => {
  const GRACE_MS = 10;
  const session = aSession({ status: 'running' });
  const stopped = aSession({ status: 'stopped', updatedAt: NOW });
  const ended = aRun(session, 'run_1', { status: 'completed', completedAt: NOW });
  const released = { releasedAt: NOW };

  it.each([
    ['while its run lasts', session, aRun(session, 'run_1', { status: 'running' }), null, NOW + 99, true],
    ['not once its run is gone', session, undefined, null, NOW, false],
    ['while its session works', session, null, null, NOW + 99, true],
    ['while its outcome is not released', session, ended, { releasedAt: null }, NOW + 99, true],
    ['in the grace period', session, ended, released, NOW + GRACE_MS, true],
    ['not after it', session, ended, released, NOW + GRACE_MS + 1, false],
    ['not after its session was stopped', stopped, null, released, NOW + GRACE_MS + 1, false],
  ])('counts %s', (_when, of, run, completion, now, counts) => {
    const limits = { ...DEFAULT_LIMITS, sessionTokenGraceMs: GRACE_MS };
    expect(sessionTokenCounts({ session: of, run, completion }, now, limits)).toBe(counts);
  });
});
