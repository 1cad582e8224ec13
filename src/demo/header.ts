// What is said before the story begins.
import { CHILDREN, EXPECTED } from './cast.js';
import type { Repository } from './repository.js';
import { harmless, painted, type Paper } from './text.js';

export interface Setting {
  readonly repository: Repository;
  readonly url: string;
  readonly db: string;
  readonly keep: boolean;
}

const KINDS: Readonly<Record<Repository['kind'], string>> = {
  named: 'the repository you named',
  own: "this program's own checkout",
  made: 'a small repository made for this',
};

export function headerOf({ repository, url, db, keep }: Setting, paper: Paper): string {
  const width = Math.max(...CHILDREN.map(({ name }) => name.length));
  const cast = CHILDREN.map(({ name, manner }) => `  ${name.padEnd(width)}  ${EXPECTED[manner].told}`);
  return [
    painted('Countersign: no child comes back before its result is in the shared state', 'bold', paper),
    '',
    `A root agent has ${harmless(repository.path)}`,
    `(${KINDS[repository.kind]}) reviewed by five children, each a process of its own. All of them share`,
    'one state, bound to a JSON Schema; each child owes its part of it (its contract) and may write nowhere',
    'else (its write scope). They keep their word as agents do:',
    '',
    ...cast,
    '',
    'The root sleeps meanwhile: it has no process until a callback resumes it. When all are in, it sums up.',
    '',
    `Coordinator  ${url}`,
    `Database     ${db}${keep ? '' : ' (removed at the end)'}`,
    '',
    painted('    time  back  who            what', 'dim', paper),
    '',
  ].join('\n');
}
