import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filledIn, placeholdersIn } from '../../../src/domain/agents/placeholders.js';

describe('placeholders', () => {
  it('are told apart: what a run knows, variables, and what nothing stands for', () => {
    expect(placeholdersIn('${COUNTERSIGN_URL}/x?${env:KEY}&${HOME}${env:a-b}${}')).toEqual([
      { kind: 'known', name: 'COUNTERSIGN_URL' },
      { kind: 'variable', name: 'KEY' },
      { kind: 'unknown', name: 'HOME' },
      { kind: 'unknown', name: 'env:a-b' },
      { kind: 'unknown', name: '' },
    ]);
  });

  it('that are not closed are told', () => {
    expect(placeholdersIn('a ${COUNTERSIGN_URL')).toEqual([{ kind: 'open' }]);
  });

  it('are filled in, each by its own value', () => {
    const filled = filledIn('${AGENT_SESSION_NAME}:${env:KEY}', (one) =>
      one.kind === 'open' ? null : `<${one.name}>`,
    );
    expect(filled).toEqual({ text: '<AGENT_SESSION_NAME>:<KEY>' });
  });

  it('tell the first that has no value', () => {
    expect(
      filledIn('${PROJECT_DIR} ${env:A} ${env:B}', ({ kind }) => (kind === 'known' ? 'x' : null)),
    ).toEqual({
      missing: '${env:A}',
    });
  });

  it('give way to the characters themselves', () => {
    expect(placeholdersIn('$${HOME}')).toEqual([]);
    expect(filledIn('$${HOME}', () => null)).toEqual({ text: '${HOME}' });
  });

  it('do not look into what is put in', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(filledIn('a${PROJECT_DIR}b', () => value)).toEqual({ text: `a${value}b` });
      }),
    );
  });

  it('leave every other text as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('${')),
        (text) => {
          expect(filledIn(text, () => null)).toEqual({ text });
        },
      ),
    );
  });
});
