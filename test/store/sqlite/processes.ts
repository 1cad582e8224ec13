// Starts test/store/sqlite/child.ts as a process. Node cannot run TypeScript by itself, so it is bundled first.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** As deep below the package's root as src/store/sqlite, so that the migrations are found; inside it, so that packages are. */
const BUNDLE = fileURLToPath(
  new URL(`../../../node_modules/.cache/countersign/child-${process.pid}.mjs`, import.meta.url),
);

/** Bundles the child. @returns How to remove the bundle. */
export async function bundleChild(): Promise<() => Promise<void>> {
  await build({
    entryPoints: [fileURLToPath(new URL('child.ts', import.meta.url))],
    outfile: BUNDLE,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return () => rm(BUNDLE, { force: true });
}

export interface Child {
  readonly process: ChildProcess;
  /** What it has said so far. */
  readonly lines: readonly string[];
  /** Settles when it has said so much. */
  said(lines: number): Promise<void>;
  /** Settles when it has ended, with its exit code. */
  readonly ended: Promise<number | null>;
}

export function startChild(task: 'write' | 'open' | 'hold' | 'coordinate', path: string): Child {
  const child = spawn(process.execPath, [BUNDLE, task, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  return {
    process: child,
    lines,
    async said(count) {
      while (lines.length < count) await once(reader, 'line');
    },
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}
