// A tree of a root and children of all kinds, by chance.
import type { CompletionOptions, RunCreate } from '../../src/client/index.js';
import type { Random } from './random.js';

export const SCHEMA = {
  name: 'soak',
  json_schema: {
    type: 'object',
    properties: { tasks: { type: 'object' }, log: { type: 'object' } },
    required: ['tasks', 'log'],
    additionalProperties: false,
  },
};

/** Update status that each kind ends with, where nothing but kills come in between. */
export const OUTCOMES = {
  dutiful: 'completed',
  eager: 'completed',
  forgetful: 'completed',
  clumsy: 'completed',
  failing: 'completed',
  deep: 'completed',
  again: 'completed',
  mute: 'failed',
  free: 'skipped',
} as const;

export type Kind = keyof typeof OUTCOMES;

const KINDS: readonly [Kind, ...Kind[]] = [
  'dutiful',
  'eager',
  'forgetful',
  'clumsy',
  'failing',
  'deep',
  'again',
  'mute',
  'free',
];
const MORE_KINDS: readonly [Kind, ...Kind[]] = ['dutiful', 'eager', 'forgetful', 'clumsy', 'deep', 'again'];

export interface Scenario {
  /** What the names of all its sessions begin with. */
  readonly tree: string;
  readonly root: string;
  /** What starts the root. */
  readonly start: RunCreate;
  /** Names of the children that are given work a second time. */
  readonly again: readonly string[];
  /** Names of all children and grandchildren. */
  readonly children: readonly string[];
}

/**
 * One child of each kind, and some more.
 *
 * @param childrenMax - A small tree instead: so many children of any kinds.
 */
export function createScenario(tree: string, random: Random, childrenMax?: number): Scenario {
  const kinds = (childrenMax === undefined ? allKinds(random) : someKinds(random, childrenMax))
    .map((kind) => ({ kind, at: random.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }, n) => ({ kind, name: `${tree}-${kind}-${String(n)}` }));
  const runs = kinds.map(({ kind, name }) => ({
    ...runOf(kind, name),
    prompt: kind === 'deep' ? JSON.stringify(runOf('dutiful', below(name))) : 'work',
    // It reads its prompt as JSON.
    ...(kind === 'deep' ? { state_context: false } : {}),
  }));
  const root = `${tree}-root`;
  return {
    tree,
    root,
    start: {
      type: 'start_session',
      session_name: root,
      agent_name: 'keeper',
      prompt: JSON.stringify({ schema: SCHEMA.name, runs }),
    },
    again: kinds.filter(({ kind }) => kind === 'again').map(({ name }) => name),
    children: kinds.flatMap(({ kind, name }) => (kind === 'deep' ? [name, below(name)] : [name])),
  };
}

function allKinds(random: Random): readonly Kind[] {
  const more = Array.from({ length: random.between(0, 3) }, () => random.oneOf(MORE_KINDS));
  return [...KINDS, ...more];
}

function someKinds(random: Random, countMax: number): readonly Kind[] {
  return Array.from({ length: random.between(1, countMax) }, () => random.oneOf(KINDS));
}

/** The child of a child. */
function below(name: string): string {
  return `${name.replace('deep', 'dutiful')}b`;
}

/** Who starts a child. */
export function starterOf(child: string, { root }: Pick<Scenario, 'root'>): string {
  return child.endsWith('b') ? child.slice(0, -1).replace('dutiful', 'deep') : root;
}

function runOf(kind: Kind, name: string): RunCreate {
  return {
    type: 'start_session',
    session_name: name,
    agent_name: 'worker',
    callback: true,
    prompt: 'work',
    completion: completionOf(kind, name),
  };
}

function completionOf(kind: Kind, name: string): CompletionOptions {
  if (kind === 'free') return { mode: 'never' };
  const schema = { type: 'object', required: ['by'] };
  return {
    mode: kind === 'eager' ? 'unless_satisfied' : 'always',
    contract: { pointer: `/tasks/${name}`, schema },
    ...(kind === 'mute' ? { max_attempts: 2 } : {}),
  };
}
