// Key conditions as a rule: what each expectation takes, and what a failure says.
import { describe, expect, it } from 'vitest';
import { checkKeys, type CheckedKey, type KeyExpectation } from '../../../src/domain/keys/conditions.js';

const STATE = { stateId: 'wst_1', version: 9 };
const key = (expected: KeyExpectation, version: number | null, name = 'k'): CheckedKey => ({
  condition: { key: name, expected },
  version,
  value: version === null ? undefined : 'v',
});

describe('the condition of a key', () => {
  it.each<[string, KeyExpectation, number | null, boolean]>([
    ['any takes what is there', 'any', 3, true],
    ['any takes what is not', 'any', null, true],
    ['present takes what is there', 'present', 3, true],
    ['there takes what is there', 'there', 3, true],
    ['absent takes what is not there', 'absent', null, true],
    ['absent refuses what is there', 'absent', 3, false],
    ['there refuses what is not', 'there', null, false],
    ['a version takes itself', 3, 3, true],
    ['a version refuses another', 3, 4, false],
    ['a version refuses an absent key', 3, null, false],
    ['a version of this state takes itself', { version: 3, stateId: 'wst_1' }, 3, true],
    ['a version of another state refuses', { version: 3, stateId: 'wst_0' }, 3, false],
    ['one of several takes one of them', { oneOf: [{ version: 2 }, { version: 3 }] }, 3, true],
    ['one of several refuses others', { oneOf: [{ version: 2 }] }, 3, false],
    ['one of another state refuses', { oneOf: [{ version: 3, stateId: 'wst_0' }] }, 3, false],
    ['none of several refuses one of them', { noneOf: [{ version: 3 }] }, 3, false],
    ['none of several takes an absent key', { noneOf: [{ version: 3 }] }, null, true],
  ])('%s', (_what, expected, version, holds) => {
    const failure = checkKeys([key(expected, version)], STATE, false);
    expect(failure?.failure.error).toBe(holds ? undefined : 'version_conflict');
  });

  it('that is not there is not found where it has to be present', () => {
    expect(checkKeys([key('present', null)], STATE, false)?.failure.error).toBe('key_not_found');
  });

  it('that fails says what is there', () => {
    const failure = checkKeys([key(3, 4)], STATE, false);
    expect(failure?.failure.members).toEqual({
      key: 'k',
      current_version: 4,
      your_version: 3,
      current_value: 'v',
      global_version: 9,
    });
  });

  it('of a batch gets a result for each key', () => {
    const keys = [key('any', 1, 'a'), key('present', null, 'b'), key(2, 3, 'c')];
    expect(checkKeys(keys, STATE, true)?.failure.members).toEqual({
      applied: false,
      results: [
        { key: 'a', status: 'ok', current_version: 1 },
        { key: 'b', status: 'not_found', current_version: null },
        { key: 'c', status: 'conflict', current_version: 3, current_value: 'v' },
      ],
      global_version: 9,
    });
  });
});
