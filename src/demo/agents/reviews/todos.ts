// Review: notes that are left open in comments, and how old they are.
import { gitWithin } from '../../git.js';
import { createBudget, forEachWithin, PROCESSES_AT_ONCE, type Budget, type Review } from './review.js';

const ITEMS_MAX = 20;
const TEXT_CHARACTERS_MAX = 160;
const DAY_MS = 24 * 60 * 60_000;
/** Behind the start of a comment: the bare words stand in honest code too. POSIX, extended. */
const PATTERN = '(//|#|/\\*|^ *\\*|--|;|<!--)[[:space:]]*(TODO|FIXME)([^[:alnum:]_]|$)';

interface Note {
  readonly path: string;
  readonly line: number;
  readonly kind: 'TODO' | 'FIXME';
  readonly text: string;
}

export const reviewTodos: Review = async (folder) => {
  const budget = createBudget();
  const args = ['grep', '--no-textconv', '-z', '-n', '-I', '-E', PATTERN];
  const found = await gitWithin(folder, args, { timeoutMs: budget.leftMs(), noneExitCode: 1 });
  const notes = found.text.split('\n').flatMap((line) => parseNote(line) ?? []);
  const listed = notes.slice(0, ITEMS_MAX);
  const blaming = createBudget();
  const dated = async (note: Note) => ({ ...note, ...(await blame(folder, note, blaming)) });
  const items = await forEachWithin(listed, blaming, dated, PROCESSES_AT_ONCE);
  const ages = items.flatMap(({ age_days }) => age_days ?? []);
  const oldest = ages.length === 0 ? null : Math.max(...ages);
  const complete = found.complete && items.length === listed.length && ages.length === items.length;
  const age = oldest === null ? '' : `; the oldest has waited for ${oldest} days`;
  return {
    prose: `I found ${notes.length} open notes${age}.`,
    data: { total: notes.length, oldest_days: oldest, items, complete },
  };
};

/** A line of `git grep -z -n`: path, NUL, number, NUL, text. */
function parseNote(line: string): Note | null {
  const [path, number, ...rest] = line.split('\0');
  const text = rest.join(' ').trim();
  const mark = /(TODO|FIXME)\W*(.*)/.exec(text);
  if (path === undefined || number === undefined || mark === null) return null;
  return {
    path,
    line: Number(number),
    kind: mark[1] === 'FIXME' ? 'FIXME' : 'TODO',
    text: (mark[2] ?? '').slice(0, TEXT_CHARACTERS_MAX),
  };
}

/** Who wrote the line, and when. */
async function blame(
  folder: string,
  note: Note,
  budget: Budget,
): Promise<{ author: string | null; age_days: number | null }> {
  const lines = `${note.line},${note.line}`;
  const args = ['blame', '--porcelain', '--no-textconv', '-L', lines, '--', note.path];
  const { text, complete } = await gitWithin(folder, args, { timeoutMs: budget.leftMs() }).catch(() => ({
    text: '',
    complete: false, // added to the index, in no commit yet
  }));
  const author = /^author (.*)$/m.exec(text)?.[1];
  const seconds = /^author-time (\d+)$/m.exec(text)?.[1];
  if (!complete || author === undefined || seconds === undefined) return { author: null, age_days: null };
  return { author, age_days: Math.max(0, Math.floor((Date.now() - Number(seconds) * 1000) / DAY_MS)) };
}
