// Who plays in the demonstration: five children, what each owes to the state, and how each behaves. Data only.

/** How a child keeps its duty to record its result. */
export type Manner = 'at_once' | 'when_asked' | 'corrects_itself' | 'last_call' | 'never';

export interface Role {
  /** Name of the session and of the agent. */
  readonly name: string;
  /** Member of `/reviews` that it owes. */
  readonly member: string;
  readonly task: string;
  readonly manner: Manner;
}

export const ROOT = 'root';
export const SCHEMA_NAME = 'code-review';

export const CHILDREN: readonly Role[] = [
  {
    name: 'languages',
    member: 'languages',
    task: 'Count the lines of this repository by language.',
    manner: 'at_once',
  },
  {
    name: 'largest-files',
    member: 'largest_files',
    task: 'Find the largest files of this repository and when each was last changed.',
    manner: 'when_asked',
  },
  {
    name: 'todos',
    member: 'todos',
    task: 'Find the notes that are still open in comments, who left them and how long ago.',
    manner: 'corrects_itself',
  },
  {
    name: 'dependencies',
    member: 'dependencies',
    task: 'List the dependencies of this repository with their licences.',
    manner: 'last_call',
  },
  {
    name: 'test-ratio',
    member: 'test_ratio',
    task: 'Compare the lines of tests with the lines of source.',
    manner: 'never',
  },
];

/** Where a child's result belongs: the pointer of its contract and of its write scope. */
export function placeOf(role: Role): string {
  return `/reviews/${role.member}`;
}

/** What is announced before the story, and what has to have happened after it. */
export interface Expectation {
  readonly told: string;
  readonly status: 'completed' | 'failed';
  /** Outcome of each prompt. */
  readonly attempts: readonly string[];
}

export const EXPECTED: Readonly<Record<Manner, Expectation>> = {
  at_once: {
    told: 'records its result while it works: no prompt needed',
    status: 'completed',
    attempts: [],
  },
  when_asked: { told: 'records when it is asked', status: 'completed', attempts: ['recorded'] },
  corrects_itself: {
    told: 'writes nonsense when asked, and mends it by the error it got',
    status: 'completed',
    attempts: ['contract_failed', 'recorded'],
  },
  last_call: {
    told: 'records at the last of three prompts',
    status: 'completed',
    attempts: ['no_write', 'no_write', 'recorded'],
  },
  never: {
    told: 'never records: reported as failed, what it said is kept',
    status: 'failed',
    attempts: ['no_write', 'no_write', 'no_write'],
  },
};
