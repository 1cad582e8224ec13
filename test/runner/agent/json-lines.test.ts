import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonLines } from '../../../src/runner/agent/json-lines.js';

function read(chunks: readonly Buffer[], lineCharactersMax = 1000) {
  const seen: unknown[] = [];
  const lines = createJsonLines(lineCharactersMax, (object) => seen.push(object));
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return seen;
}

describe('a stream of JSON lines', () => {
  it('gives the same objects however it is cut', () => {
    const object = fc.record({ a: fc.string(), b: fc.integer() });
    fc.assert(
      fc.property(fc.array(object), fc.integer({ min: 1, max: 20 }), fc.boolean(), (objects, size, fed) => {
        const text = objects.map((one) => JSON.stringify(one)).join('\n') + (fed ? '\n' : '');
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        expect(read(chunks)).toEqual(objects);
      }),
    );
  });

  it('drops a line that is too long, and nothing else', () => {
    const long = JSON.stringify({ long: 'x'.repeat(200) });
    const text = `{"n":1}\n${long}\n{"n":2}\n${long}`;
    for (const size of [1, 7, 1000]) {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect(read(chunks, 100)).toEqual([{ n: 1 }, { n: 2 }]);
    }
  });
});
