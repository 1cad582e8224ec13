// The five children of the demonstration: what each owes to the state, how it behaves, and what must come of it. Data only.

export const ROOT = 'root';
export const SCHEMA_NAME = 'code-review';

export type Behaviour = 'at_once' | 'when_asked' | 'corrects_itself' | 'last_prompt' | 'never';

export interface Child {
  /** Name of the session and of the agent. */
  readonly name: string;
  /** Where its result belongs: the pointer of its contract and of its write scope. */
  readonly pointer: string;
  readonly task: string;
  readonly behaviour: Behaviour;
  /** Expected outcome of each prompt to record. */
  readonly attempts: readonly string[];
}

export const CHILDREN: readonly Child[] = [
  {
    name: 'languages',
    pointer: '/reviews/languages',
    task: 'Count the lines of this repository by language.',
    behaviour: 'at_once',
    attempts: [],
  },
  {
    name: 'largest-files',
    pointer: '/reviews/largest_files',
    task: 'Find the largest files of this repository and when each was last changed.',
    behaviour: 'when_asked',
    attempts: ['recorded'],
  },
  {
    name: 'todos',
    pointer: '/reviews/todos',
    task: 'Find the notes that are still open in comments, who left them and how long ago.',
    behaviour: 'corrects_itself',
    attempts: ['contract_failed', 'recorded'],
  },
  {
    name: 'dependencies',
    pointer: '/reviews/dependencies',
    task: 'List the dependencies of this repository with their licences.',
    behaviour: 'last_prompt',
    attempts: ['no_write', 'no_write', 'recorded'],
  },
  {
    name: 'test-ratio',
    pointer: '/reviews/test_ratio',
    task: 'Compare the lines of tests with the lines of source.',
    behaviour: 'never',
    attempts: ['no_write', 'no_write', 'no_write'],
  },
];

/** True where the child is expected to record its result. */
export function records({ behaviour }: Child): boolean {
  return behaviour !== 'never';
}
