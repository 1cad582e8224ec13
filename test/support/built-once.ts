// What tests need built from the sources as they are now. Builds lie in folders named after their content: never stale,
// and shared by tests that run at the same time.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AGE_MS_MAX = 24 * 60 * 60_000;

interface Build {
  /** Of the folder in `node_modules/.cache` that keeps these builds. Bare imports resolve from there. */
  readonly name: string;
  /** Files beside the sources on which the build depends, and other text. */
  readonly scripts: readonly string[];
  readonly text?: string;
  readonly isSource: (name: string) => boolean;
  readonly into: (folder: string) => Promise<unknown>;
}

/** @returns Absolute path of the folder with the build. */
export async function builtOnce({ name, scripts, text = '', isSource, into }: Build): Promise<string> {
  const cache = join(ROOT, 'node_modules', '.cache', name);
  const hash = createHash('sha256').update(text);
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(isSource);
  for (const path of ['package-lock.json', ...scripts]) hash.update(readFileSync(join(ROOT, path)));
  for (const path of sources.sort()) hash.update(path).update(readFileSync(join(ROOT, 'src', path)));
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  prune(cache);
  const fresh = mkdtempSync(join(cache, 'tmp-'));
  await into(fresh);
  try {
    renameSync(fresh, folder);
  } catch {
    // Another test was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Drops what was built from sources of another day. */
function prune(cache: string): void {
  for (const name of readdirSync(cache)) {
    const made = statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > AGE_MS_MAX) rmSync(join(cache, name), { recursive: true, force: true });
  }
}
