// Programs of others that are only needed here: installed from npm into a temporary folder, with the Node that they
// want, and run from there. COUNTERSIGN_SUITE_DIR names a folder to keep them in from one time to the next.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NODE = 'node@22.23.3';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export class Kit {
  private constructor(
    readonly folder: string,
    private readonly kept: boolean,
  ) {}

  /** @param packages - Such as `name@1.2.3`. */
  static async install(...packages: readonly string[]): Promise<Kit> {
    const wanted = process.env['COUNTERSIGN_SUITE_DIR'];
    const folder = wanted ?? mkdtempSync(join(tmpdir(), 'countersign-suite-'));
    mkdirSync(folder, { recursive: true });
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest)) writeFileSync(manifest, '{"private": true}');
    const flags = ['--no-audit', '--no-fund', '--loglevel', 'error'];
    const { code, stderr } = await run('npm', ['install', ...flags, NODE, ...packages], folder);
    if (code !== 0) throw new Error(`npm install failed: ${stderr}`);
    return new Kit(folder, wanted !== undefined);
  }

  /** Runs a script of an installed package with the Node of the kit. */
  script(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    const modules = join(this.folder, 'node_modules');
    const node = join(modules, 'node', 'bin', 'node');
    return run(node, [join(modules, path), ...args], this.folder, { ...process.env, ...env });
  }

  remove(): void {
    if (!this.kept) rmSync(this.folder, { recursive: true, force: true });
  }
}
