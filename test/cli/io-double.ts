// The command line in process: what it writes, and what it exits with.
import { examineFile } from '../../src/main/commands/doctor-file.js';
import { runCli, type CliIo, type WiredCommands } from '../../src/cli/index.js';
import { backup, restore } from '../../src/main/evidence/backup.js';
import { verify } from '../../src/main/evidence/verify.js';
import { compareSchemas } from '../../src/main/commands/compare-schemas.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Calls of the wired commands: name and options. */
  readonly wired: { name: string; options: any }[];
}

export interface Around {
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly isTTY?: boolean;
  readonly width?: number;
}

export async function cli(argv: readonly string[], around: Around = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const wired: Ran['wired'] = [];
  const note = (name: string) => (options: unknown) => {
    wired.push({ name, options });
    return Promise.resolve(0);
  };
  const commands: WiredCommands = {
    serve: note('serve'),
    runner: note('runner'),
    mcp: note('mcp'),
    demo: note('demo'),
    copyDatabase: note('copyDatabase'),
    tokenCreate: note('tokenCreate'),
    tokenList: note('tokenList'),
    tokenRevoke: note('tokenRevoke'),
    examineFile,
    compareSchemas,
    verify,
    backup,
    restore,
  };
  const io: CliIo = {
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    stdin: (async function* () {
      await Promise.resolve();
      yield Buffer.from(around.stdin ?? '');
    })(),
    env: around.env ?? {},
    isTTY: around.isTTY ?? false,
    width: around.width ?? 100,
  };
  const code = await runCli(argv, io, commands);
  return { code, out, err, wired };
}
