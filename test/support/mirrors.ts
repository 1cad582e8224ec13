// `countersign state mirror` against a stage: mirrors of their own, and what they wrote.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { Program, type Ended, type ProgramOptions } from './program.js';
import { must, Stage } from './stage.js';

export interface Mirrored {
  readonly document: unknown;
  readonly meta: { readonly version: number; readonly state_id: string };
}

export class Mirrors {
  readonly #programs: Program[] = [];
  #folders = 0;

  private constructor(readonly stage: Stage) {}

  static async open(): Promise<Mirrors> {
    const stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    return new Mirrors(stage);
  }

  async close(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')));
    await this.stage.close();
  }

  newFolder(): string {
    this.#folders += 1;
    return join(this.stage.dir, `mirror-${String(this.#folders)}`);
  }

  async launch(dir: string, args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
    const program = await Program.start(['state', 'mirror', ...args, '--dir', dir, '--json'], {
      ...options,
      env: { COUNTERSIGN_URL: this.stage.url, ...options.env },
    });
    this.#programs.push(program);
    return program;
  }

  /** Starts a mirror, and waits until it has everything. */
  async start(dir: string, ...args: string[]): Promise<Program> {
    const program = await this.launch(dir, args);
    await program.printed(/"event":"current"/);
    return program;
  }

  async newState(root: string, data: object = {}): Promise<string> {
    const body = { schema_name: 'any', root_session_name: root, initial_data: { ...data } };
    must(await this.stage.operator.sessions.create({ session_name: root, external: true }));
    return must(await this.stage.operator.states.create(body)).state_id;
  }

  /** @returns The new version. */
  async set(stateId: string, patch: object): Promise<number> {
    return must(await this.stage.operator.states.mergePatch(stateId, { ...patch }, {})).version;
  }
}

export function mirrored(dir: string, folder: string): Mirrored {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(dir, folder, name), 'utf8'));
  const [document, meta] = [json('state.json'), json('state.meta.json') as Mirrored['meta']];
  return { document, meta };
}

export const isAt = (dir: string, folder: string, version: number) =>
  eventually(`version ${String(version)} of ${folder}`, () => mirrored(dir, folder).meta.version === version);

export function writesIn({ stdout }: Ended): number {
  return stdout.split('\n').filter((line) => line.includes('"event":"written"')).length;
}
