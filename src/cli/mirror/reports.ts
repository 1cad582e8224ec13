// What a mirror tells its user: what it did, and what is wrong. A lasting problem is reported once.
import { harmless, jsonText } from '../text/terminal-text.js';
import type { Output } from '../text/output.js';
import type { CliIo } from '../io/io.js';

/** One line on standard output. */
type MirrorEvent =
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
  /** The reported problem by its subject. */
  readonly #problems = new Map<string, string>();

  constructor(
    private readonly io: CliIo,
    private readonly out: Output,
  ) {}

  emit(event: MirrorEvent): void {
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

function lineOf(report: MirrorEvent): string {
  switch (report.event) {
    case 'written':
      return `${report.state_id}  version ${report.version}  ${report.folder}`;
    case 'removed':
      return `${report.state_id}  removed from ${report.folder}`;
    case 'committed':
      return `${report.state_id}  committed ${report.version === null ? 'its removal' : `up to version ${report.version}`}`;
    case 'current':
      return `${report.states} state${report.states === 1 ? '' : 's'} mirrored in ${report.dir}`;
  }
}
