// What a write may be made on: which bases are taken, and why others are not.
import { describe, expect, it } from 'vitest';
import { checkKept, noVersion } from '../../../src/domain/states/expected-version.js';
import { checkUnchangedSince, lastReadBase } from '../../../src/domain/writes/base-version.js';
import type { ReadCursor } from '../../../src/domain/records/read-cursor.js';
import { must, failureOf } from '../world.js';

const cursor = (over: Partial<ReadCursor> = {}): ReadCursor => ({
  sessionId: 'ses_a',
  stateId: 'wst_1',
  version: 3,
  own: null,
  ownVersion: 3,
  parts: [],
  ...over,
});
const inPart = cursor({ version: 0, ownVersion: 0, parts: [{ pointer: '/a', version: 2 }] });
const PATCH = { isSession: true, isWhole: false };

describe('the base of a write', () => {
  it('is the version that its session last read', () => {
    expect(must(lastReadBase(cursor(), 5, PATCH))).toEqual({ cursor: cursor(), inPart: false });
  });

  it('is the version of the first part, where only parts were read', () => {
    expect(must(lastReadBase(inPart, 5, PATCH))).toEqual({
      cursor: { ...inPart, version: 2, ownVersion: 2 },
      inPart: true,
    });
  });

  it('is what was read of the location of a write that changes no other', () => {
    expect(must(lastReadBase(inPart, 5, { ...PATCH, within: '/a' })).inPart).toBe(true);
    expect(must(lastReadBase(cursor(), 5, { ...PATCH, within: '/b' })).inPart).toBe(false);
  });

  it.each([
    ['another location was read than is written', inPart, { ...PATCH, within: '/b' }, 'has not read /b'],
    ['nothing was read', null, PATCH, 'This session has not read'],
    ['nobody could have read', null, { isSession: false, isWhole: false }, 'Only a session'],
    ['a later version was read, of a state that is gone', cursor({ version: 6 }), PATCH, 'has not read'],
    ['parts were read, and the whole is replaced', inPart, { isSession: true, isWhole: true }, 'only parts'],
  ])('is not known where %s', (_when, read, how, why) => {
    const failure = failureOf(lastReadBase(read, 5, how));
    expect([failure.error, failure.members['current_version']]).toEqual(['base_unknown', 5]);
    expect(failure.detail).toContain(why);
  });

  it.each([1, 2])('is refused without a merge where others have written since, now a: %i', (a) => {
    const base = { version: 3, document: { a: 1 } };
    expect(checkUnchangedSince(base, base)).toBeNull();
    expect(checkUnchangedSince(base, { version: 4, document: { a } })?.failure).toMatchObject({
      error: 'version_conflict',
      members: { current_version: 4, your_version: 3, current_data: { a } },
    });
  });
});

describe('a version of a state', () => {
  it('is kept from the oldest on', () => {
    expect(checkKept(4, 4)).toBeNull();
    expect(checkKept(3, 4)?.failure).toMatchObject({
      error: 'version_compacted',
      members: { version: 3, oldest_version: 4 },
    });
  });

  it('that it has not had is not found', () => {
    expect(noVersion(8, 7).failure).toMatchObject({
      error: 'version_not_found',
      members: { version: 8, current_version: 7 },
    });
  });
});
