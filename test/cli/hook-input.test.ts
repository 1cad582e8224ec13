// What a client gives a hook, where it does not end its pipe.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readHookDocument } from '../../src/cli/hooks/hook-input.js';
import type { CliIo } from '../../src/cli/io/io.js';

/** Standard input that gives some texts, one after the other, and ends only if it is to. */
function open(texts: readonly string[], { everyMs = 1, ends = false } = {}): CliIo {
  async function* stdin() {
    for (const text of texts) {
      await pause(everyMs);
      yield text;
    }
    if (!ends) await new Promise(() => undefined);
  }
  const nowhere = { write: () => true };
  return { stdout: nowhere, stderr: nowhere, stdin: stdin(), env: {}, isTTY: false, width: 80 };
}

const WITHIN_MS = 60_000;

it('is whole once it is JSON and nothing follows', async () => {
  const io = open(['{"a": "', 'é', '"}\n']);
  expect(await readHookDocument(io, WITHIN_MS)).toEqual({ a: 'é' });
});

it('is whole at its end, also where what came before was JSON', async () => {
  const io = open(['12', '34'], { ends: true });
  expect(await readHookDocument(io, WITHIN_MS)).toBe(1234);
});

it.each([
  ['nothing comes', []],
  ['half of it comes', ['{"a":']],
])('is refused where %s in its time', async (_, texts) => {
  await expect(readHookDocument(open(texts), 50)).rejects.toThrow(
    'did not end within 50 ms, and is no JSON yet',
  );
});

it('counts where it is whole when its time is over', async () => {
  expect(await readHookDocument(open(['[1]'], { everyMs: 30 }), 10)).toEqual([1]);
});

it('is refused where it comes too slowly', async () => {
  const texts = ['[', ...Array.from({ length: 1000 }, () => '1,')];
  await expect(readHookDocument(open(texts, { everyMs: 20 }), 300)).rejects.toThrow('did not end');
});
