// The live timeline: moments in the order of their time, each once, with the time elapsed and how many children are back.
import type { Moment, Tone } from './moments.js';
import { cut, painted, type Paint, type Paper } from './text.js';

export interface TimelineOptions {
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly children: number;
  readonly paper: Paper;
  readonly write: (text: string) => void;
}

const PAINTS: Readonly<Record<Tone, Paint | null>> = {
  plain: null,
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  parent: 'cyan',
};
const WHO_COLUMNS = 13;

export class Timeline {
  readonly #shown = new Set<string>();
  #back = 0;

  constructor(private readonly options: TimelineOptions) {}

  /**
   * Shows what is new.
   *
   * @param until - Later moments are held back: one that was before them may not be known yet.
   */
  show(moments: readonly Moment[], until: number): void {
    for (const moment of moments) {
      if (moment.at > until || this.#shown.has(moment.key)) continue;
      this.#shown.add(moment.key);
      if (moment.handsOver === true) this.#back += 1;
      this.options.write(this.#line(moment));
    }
  }

  #line({ at, who, text, tone }: Moment): string {
    const { startedAt, children, paper } = this.options;
    const seconds = `${(Math.max(0, at - startedAt) / 1000).toFixed(2)}s`.padStart(8);
    const progress = `${this.#back}/${children}`;
    const name = who.padEnd(WHO_COLUMNS);
    const columns = paper.width - seconds.length - progress.length - WHO_COLUMNS - 6;
    const told = painted(cut(text, Math.max(columns, 40)), PAINTS[tone], paper);
    return `${painted(`${seconds}  ${progress}`, 'dim', paper)}  ${name}  ${told}\n`;
  }
}
