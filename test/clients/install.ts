// The real clients, from npm, in a folder of their own.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Kept between runs: the programs are large. `COUNTERSIGN_TEST_CLIENTS` names another. */
const FOLDER = process.env['COUNTERSIGN_TEST_CLIENTS'] ?? path.join(tmpdir(), 'countersign-test-clients');

/** Exactly these: what is recorded and shown is what they do. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@anthropic-ai/claude-code': '2.1.332',
  'claude-code-2-1-197': 'npm:@anthropic-ai/claude-code@2.1.197',
  '@openai/codex': '0.171.0',
  '@google/gemini-cli': '0.61.0',
  'opencode-ai': '1.18.33',
};

/** Stands for all of them. */
const READY = 'ready-7';

export interface Installed {
  /** Folder with the programs under the names that people call them by. */
  readonly bin: string;
  /** The same, with Claude Code 2.1.197 for `claude`. */
  readonly olderBin: string;
}

/** Installs what is not there yet. The programs are linked by name: their install scripts are not needed. */
export async function installClients(): Promise<Installed> {
  const [bin, olderBin] = [path.join(FOLDER, 'bin'), path.join(FOLDER, 'bin-older')];
  if (!existsSync(path.join(FOLDER, READY))) {
    mkdirSync(FOLDER, { recursive: true });
    const wanted = { private: true, dependencies: PACKAGES };
    writeFileSync(path.join(FOLDER, 'package.json'), JSON.stringify(wanted));
    // Claude Code asks for Node.js 22, but its program is native and runs beside Node.js 20.
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
    await promisify(execFile)('npm', ['install', ...flags], { cwd: FOLDER });
    for (const [folder, claude] of [
      [bin, '@anthropic-ai'],
      [olderBin, 'claude-code-2-1-197/node_modules/@anthropic-ai'],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      link(folder, 'claude', found(claude, 'claude'));
      link(folder, 'codex', found('@openai', 'codex'));
      link(folder, 'gemini', path.join(FOLDER, 'node_modules', '.bin', 'gemini'));
      link(folder, 'opencode', found('', 'opencode'));
    }
    writeFileSync(path.join(FOLDER, READY), '');
  }
  return { bin, olderBin };
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
