import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderNames, nameKey, safeName } from '../../../src/cli/mirror/names.js';
import { anyText } from '../../support/any-text.js';

const SAFE = /^[A-Za-z0-9][A-Za-z0-9._@-]*$/;

describe('a folder name', () => {
  it.each(['release-42', 'Plan', 'a', 'v1.2_x@y', 'auxiliary', 'com10'])('is %j itself', (name) => {
    expect(safeName(name)).toBe(name);
  });

  it.each([
    '..',
    '.',
    '',
    '/',
    '../../etc/passwd',
    '/etc',
    'a/b',
    'a\\b',
    'a\0b',
    'a:b',
    'a\nb',
    ' a',
    'a ',
    'a.',
    '.git',
    '-rf',
    '~',
    'CON',
    'nul.txt',
    'com1',
    'LPT9.log',
    'käse',
    '‮gnp.exe',
    '𝒳'.repeat(50),
    'x'.repeat(5000),
  ])('is made safe for %j', (name) => {
    const safe = safeName(name);
    expect(safe).toMatch(SAFE);
    expect(safe.length).toBeLessThanOrEqual(100);
    expect(safe).not.toBe(name);
    expect(safe).not.toMatch(/\.$|^(con|nul|lpt9|com1)(\.|$)/i);
  });

  it('is safe for any name, and another one for another name', () => {
    const name = fc.oneof(anyText(), fc.string(), fc.constantFrom('..', 'aux', 'a/', 'a:'));
    fc.assert(
      fc.property(name, name, (one, other) => {
        for (const folder of folderNames(one, other)) expect(folder).toMatch(SAFE);
        if (one !== other) expect(safeName(one)).not.toBe(safeName(other));
      }),
    );
  });

  it('has further forms for a state whose name is taken', () => {
    const names = folderNames('plan', 'wfstate_zk9k9h612v4jehq0xamj');
    expect(names.slice(0, 2)).toEqual(['plan', 'plan-ehq0xamj']);
    expect(new Set(names).size).toBe(3);
  });

  it('has one key with every name that is the same folder where case does not count', () => {
    expect(nameKey('Plan')).toBe(nameKey('pLAN'));
  });
});
