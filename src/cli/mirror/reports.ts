// What a mirror tells its user: what it did, and what is wrong. A lasting problem is told once.
import { harmless, jsonText } from '../text/terminal-text.js';
import type { Output } from '../text/output.js';
import type { CliIo } from '../io/io.js';

/** One line on standard output. */
export type MirrorEvent =
  | {
      readonly event: 'written';
      readonly state_id: string;
      readonly version: number;
      readonly folder: string;
    }
  | { readonly event: 'removed'; readonly state_id: string; readonly folder: string }
  /** `version` is `null` for the removal of a deleted state. */
  | { readonly event: 'committed'; readonly state_id: string; readonly version: number | null }
  | { readonly event: 'current'; readonly states: number; readonly dir: string };

export class MirrorReports {
  /** By what it is about: the problem that was told. */
  readonly #problems = new Map<string, string>();

  constructor(
    private readonly io: CliIo,
    private readonly out: Output,
  ) {}

  tell(event: MirrorEvent): void {
    this.io.stdout.write(this.out.isJson ? `${jsonText(event)}\n` : this.out.free(`${lineOf(event)}\n`));
  }

  /** Something that is over, such as an edit that was overwritten. */
  note(text: string): void {
    this.io.stderr.write(`${harmless(text)}\n`);
  }

  /** Something that lasts until `solved`. */
  problem(about: string, text: string): void {
    if (this.#problems.get(about) === text) return;
    this.#problems.set(about, text);
    this.note(`${about}: ${text}`);
  }

  solved(about: string): void {
    if (this.#problems.delete(about)) this.note(`${about}: it works again`);
  }

  /** Forgets a problem of something that no longer exists. */
  forget(about: string): void {
    this.#problems.delete(about);
  }
}

function lineOf(told: MirrorEvent): string {
  switch (told.event) {
    case 'written':
      return `${told.state_id}  version ${told.version}  ${told.folder}`;
    case 'removed':
      return `${told.state_id}  removed from ${told.folder}`;
    case 'committed':
      return `${told.state_id}  committed ${told.version === null ? 'its removal' : `up to version ${told.version}`}`;
    case 'current':
      return `${told.states} state${told.states === 1 ? '' : 's'} mirrored in ${told.dir}`;
  }
}
