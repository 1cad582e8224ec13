// docs/architecture.md names files. They exist.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('docs/architecture.md', () => {
  const page = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
  const files = [...page.matchAll(/`([a-z-]+\/[a-z/-]+\.ts)`/g)].map(([, file]) => file ?? '');

  it('names only files that exist', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(
      files.filter((file) => !existsSync(path.join(ROOT, file.startsWith('test/') ? '.' : 'src', file))),
    ).toEqual([]);
  });
});
