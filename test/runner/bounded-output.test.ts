import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundText, createBoundedOutput } from '../../src/runner/bounded-output.js';

function pushed(text: string, bytesMax: number, chunkBytes: number, headShare?: number): string {
  const output = createBoundedOutput(bytesMax, headShare);
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; at += chunkBytes) output.push(bytes.subarray(at, at + chunkBytes));
  return output.text();
}

describe('bounded output', () => {
  it('is whole where it fits', () => {
    expect(pushed('', 100, 1)).toBe('');
    expect(pushed('häppy', 1000, 1)).toBe('häppy');
  });

  it('is the same however it comes in', () => {
    const text = Array.from({ length: 400 }, (_, i) => `line ${i}`).join('\n');
    const whole = pushed(text, 300, 100_000);
    for (const chunkBytes of [1, 7, 64, 235, 236, 237]) expect(pushed(text, 300, chunkBytes)).toBe(whole);
    expect(whole).toMatch(/^line 0\n[^]*\[… [\d,]+ bytes cut …\][^]*line 399$/);
  });

  it('is a tail alone where no head is asked for', () => {
    expect(pushed('x'.repeat(1000) + 'end', 100, 10, 0)).toMatch(/^\[… 967 bytes cut …\]\nx{33}end$/);
  });

  it('never exceeds its bound and never tears a character apart', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 64, max: 400 }),
        fc.integer({ min: 1, max: 50 }),
        (text, bytesMax, chunkBytes) => {
          fc.pre(!text.includes('\ufffd')); // it would be found again, untorn
          const bounded = pushed(text, bytesMax, chunkBytes);
          expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(bytesMax);
          expect(bounded).not.toContain('\ufffd');
          expect(boundText(bounded, bytesMax)).toBe(bounded);
        },
      ),
    );
  });
});
