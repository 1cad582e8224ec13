// Tokens: one name in force once, a revocation for good, and how long that of a session counts.
import { describe, expect, it } from 'vitest';
import { actorOf, createToken, revokeToken, sessionTokenCounts } from '../../../src/domain/access/tokens.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { aRun, aSession, aToken, NOW } from '../../store/records.js';
import { must, failureOf, World } from '../world.js';

const CI = { name: 'ci', role: 'reader', hash: 'h' } as const;

describe('a token', () => {
  it('is made once for a name, until it is revoked', () => {
    const world = new World();
    const made = must(world.decide((unit) => createToken(unit, CI)));
    expect(world.store.tokens.get(made.tokenId)).toMatchObject({ ...CI, revokedAt: null, revision: 1 });
    const before = world.store.written.length;
    expect(failureOf(world.decide((unit) => createToken(unit, CI))).error).toBe('token_exists');
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
      expect(failureOf(world.decide((unit) => revokeToken(unit, named))).error).toBe('token_not_found');
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
  const released = { status: 'skipped', releasedAt: NOW } as const;
  const retried = { ...released, status: 'pending' } as const;
  const SILENCE_MS = 1000;
  const HEARTBEAT_MS = 100;
  const byHand = aSession({ status: 'running', external: true, createdAt: NOW, updatedAt: NOW });
  const childByHand = { ...byHand, parentSessionId: 'ses_parent' };
  const limits = {
    ...DEFAULT_LIMITS,
    sessionTokenGraceMs: GRACE_MS,
    sessionTokenSilenceMs: SILENCE_MS,
    sessionHeartbeatMs: HEARTBEAT_MS,
  };

  it.each([
    ['while its run lasts', session, aRun(session, 'run_1', { status: 'running' }), null, NOW + 99, true],
    ['not once its run is gone', session, undefined, null, NOW, false],
    ['while its session works', session, null, null, NOW + 99, true],
    ['while its outcome is not released', session, ended, { ...released, releasedAt: null }, NOW + 99, true],
    ['in the grace period', session, ended, released, NOW + GRACE_MS, true],
    ['not after it', session, ended, released, NOW + GRACE_MS + 1, false],
    ['not after its session was stopped', stopped, null, released, NOW + GRACE_MS + 1, false],
    ['again while an operator has it asked', stopped, null, retried, NOW + GRACE_MS + 1, true],
    ['not for an ended run, even then', session, ended, retried, NOW + GRACE_MS + 1, false],
    ['for the start that it was made for', byHand, null, null, NOW, true],
    ['not for another start', { ...byHand, lastResumedAt: NOW + 1 }, null, null, NOW + 1, false],
    ['not once its client has ended', { ...byHand, heartbeatAt: 0 }, null, null, NOW, false],
    ['in the silence that is allowed', byHand, null, null, NOW + SILENCE_MS, true],
    ['not after more', byHand, null, null, NOW + SILENCE_MS + 1, false],
    [
      'since a later heartbeat',
      { ...byHand, heartbeatAt: NOW + 1 },
      null,
      null,
      NOW + HEARTBEAT_MS + 1,
      true,
    ],
    [
      'not after the last heartbeat',
      { ...byHand, heartbeatAt: NOW },
      null,
      null,
      NOW + HEARTBEAT_MS + 1,
      false,
    ],
    ['for a child without that', { ...childByHand, heartbeatAt: NOW }, null, null, NOW + SILENCE_MS, true],
    ['in a silence of its own', { ...byHand, heartbeatTimeoutMs: 3 }, null, null, NOW + 4, false],
    ['in any silence', { ...byHand, heartbeatTimeoutMs: 0 }, null, null, NOW + 99_999, true],
  ])('counts %s', (_when, of, run, completion, now, counts) => {
    const facts = { session: of, startedAt: of.external ? NOW : null, run, completion };
    expect(sessionTokenCounts(facts, now, limits)).toBe(counts);
  });

  it('ends no later than a child is lost', () => {
    const shorter = { ...limits, sessionSilenceMs: SILENCE_MS - 1 };
    const facts = { session: byHand, startedAt: NOW, run: null, completion: null };
    expect(sessionTokenCounts(facts, NOW + SILENCE_MS, shorter)).toBe(false);
  });
});
