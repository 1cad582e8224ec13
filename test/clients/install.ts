// The real clients, from npm, in a folder of their own.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Kept between runs: the programs are large. `COUNTERSIGN_TEST_CLIENTS` names another. */
const FOLDER = process.env['COUNTERSIGN_TEST_CLIENTS'] ?? path.join(tmpdir(), 'countersign-test-clients');

/** Stands for all of them. */
const READY = 'ready-5';

export interface Installed {
  /** Folder with the programs under the names that people call them by. */
  readonly bin: string;
}

/** Installs what is not there yet. The programs are linked by name: their install scripts are not needed. */
export async function installClients(): Promise<Installed> {
  const bin = path.join(FOLDER, 'bin');
  if (!existsSync(path.join(FOLDER, READY))) {
    mkdirSync(bin, { recursive: true });
    writeFileSync(path.join(FOLDER, 'package.json'), '{"private":true}\n');
    const packages = ['@anthropic-ai/claude-code', '@openai/codex', '@google/gemini-cli', 'opencode-ai'];
    await promisify(execFile)(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages],
      {
        cwd: FOLDER,
      },
    );
    link(bin, 'claude', found('@anthropic-ai', 'claude'));
    link(bin, 'codex', found('@openai', 'codex'));
    link(bin, 'gemini', path.join(FOLDER, 'node_modules', '.bin', 'gemini'));
    link(bin, 'opencode', found('', 'opencode'));
    writeFileSync(path.join(FOLDER, READY), '');
  }
  return { bin };
}

/** Not a symbolic link: what looks for files beside itself has to find them. */
function link(bin: string, name: string, target: string): void {
  writeFileSync(path.join(bin, name), `#!/bin/sh\nexec '${target}' "$@"\n`, { mode: 0o755 });
}

/** The program for this platform, which npm chose among the optional packages. */
function found(scope: string, program: string): string {
  const folder = path.join(FOLDER, 'node_modules', scope);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const file = files.find(
    (one) =>
      one.isFile() && one.name === program && /-(x64|arm64)\b(?!-(baseline|musl))/.test(one.parentPath),
  );
  if (file === undefined) throw new Error(`${scope} brought no program ${program} for this platform`);
  return path.join(file.parentPath, file.name);
}
