// A folder of agents: small programs, each the part of one kind of session, and what they noted down.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import type { Agent } from './agent-kit.js';

/** What an agent does in a run. It is written into a file: nothing around it can be referred to. */
export type Part = (agent: Agent) => Promise<void> | void;

/** What an agent left for the test: who in which run, when, and any facts. */
export interface Note {
  readonly session: string;
  readonly purpose: Agent['purpose'];
  readonly run: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The prompt of a resume by callbacks, and the state's document as it was then. */
  readonly told?: string;
  readonly document?: unknown;
  /** The prompt of a state update run, or a call that was made; with its status. */
  readonly asked?: string;
  readonly status?: number;
  /** Id of the process that began its work. */
  readonly began?: number;
  readonly pids?: readonly number[];
  /** A write that was acknowledged. */
  readonly wrote?: {
    readonly path: string;
    readonly value: unknown;
    readonly version: number;
    readonly changed: boolean;
  };
  /** An answer that should not have been. */
  readonly fault?: string;
  /** Signal that ended it. */
  readonly ended?: string;
}

export class Agents {
  /** What every agent is made of; none outlives it. */
  readonly kit: string;

  constructor(readonly folder: string) {
    this.kit = join(folder, 'kit.mjs');
    const source = readFileSync(new URL('./agent-kit.ts', import.meta.url), 'utf8');
    writeFileSync(this.kit, transformSync(source, { loader: 'ts' }).code);
  }

  /** Command line for a runner: each session is played by the part that its `agent_name` names. */
  get exec(): string {
    return `exec '${process.execPath}' '${this.folder}'/"$COUNTERSIGN_AGENT_NAME".mjs`;
  }

  cast(parts: Readonly<Record<string, Part>>): void {
    for (const [name, part] of Object.entries(parts)) {
      const text = `import { agent } from './kit.mjs';\nawait (${part.toString()})(agent);\n`;
      writeFileSync(join(this.folder, `${name}.mjs`), text);
    }
  }

  /** In the order in which they were left. */
  notes(session?: string): readonly Note[] {
    const folder = join(this.folder, 'notes');
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').slice(0, -1))
      .map((line) => JSON.parse(line) as Note)
      .filter((note) => session === undefined || note.session === session)
      .sort((a, b) => a.at - b.at);
  }
}
