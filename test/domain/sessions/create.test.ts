import { describe, expect, it } from 'vitest';
import { deleteSession } from '../../../src/domain/sessions/end.js';
import { recordsOfCreation, type SessionCommand } from '../../../src/domain/sessions/create.js';
import { must, failureOf, World } from '../world.js';

function tree(): World {
  const world = new World({ treeDepthMax: 2 });
  world.create('root');
  world.child('a', 'root');
  world.child('b', 'a');
  return world;
}

/** Everything is wrong at first; each line mends what the one before complained of. */
const REFUSALS: readonly [string, Partial<SessionCommand>][] = [
  [
    'session_not_found',
    { parent: 'nobody', callback: true, external: true, delivery: 'resume', sessionName: 'a' },
  ],
  ['tree_too_deep', { parent: 'b', callback: true, external: true, delivery: 'resume', sessionName: 'a' }],
  ['invalid_request', { parent: null, callback: true, external: true, delivery: 'resume', sessionName: 'a' }],
  [
    'invalid_request',
    { parent: 'root', callback: true, external: true, delivery: 'resume', sessionName: 'a' },
  ],
  ['session_exists', { parent: 'root', callback: true, external: true, delivery: 'pull', sessionName: 'a' }],
];

describe('a new session', () => {
  it.each(REFUSALS)('is refused with %s before anything else of %j', (error, over) => {
    const world = tree();
    const before = world.store.written.length;
    expect(failureOf(world.tryCreate('new', over)).error).toBe(error);
    expect(world.store.written).toHaveLength(before);
  });

  it('inherits its tree', () => {
    const world = tree();
    expect(world.session('b')).toMatchObject({
      parentSessionId: 'ses_a',
      parentSessionName: 'a',
      rootSessionId: 'ses_root',
      depth: 2,
      status: 'pending',
      generation: 1,
    });
    expect(world.session('root')).toMatchObject({
      rootSessionId: 'ses_root',
      depth: 0,
      parentSessionId: null,
    });
    expect([...world.store.trees.keys()]).toEqual(['ses_root']);
  });

  it('is named after its id where it has no name', () => {
    const world = tree();
    expect(must(world.tryCreate('x', { sessionName: null })).sessionName).toBe('ses_x');
  });

  it.each([
    ['a name', { sessionId: 'ses_new', sessionName: 'a' }],
    ['an id as its id', { sessionId: 'ses_a', sessionName: 'new' }],
    ['an id as its name', { sessionId: 'ses_new', sessionName: 'ses_a' }],
  ])('cannot take %s that another has', (_what, over) => {
    expect(failureOf(tree().tryCreate('new', over))).toMatchObject({ error: 'session_exists' });
  });

  it.each([
    [{ isNewId: true, sessionName: null }, ['ses_root']],
    [{ isNewId: true, sessionName: 'x' }, ['ses_root', 'x']],
    [{ sessionName: null }, ['ses_root', 'ses_x']],
    [{ sessionName: 'x' }, ['ses_root', 'ses_x', 'x']],
  ])('looks up the id and the name that were chosen: %j', (chosen, names) => {
    const loads = recordsOfCreation({ parent: 'ses_root', sessionId: 'ses_x', ...chosen }, null);
    expect(loads).toEqual(names.map((idOrName) => ({ load: 'aggregateNamed', idOrName })));
    expect(tree().tryCreate('x', { parent: 'root', ...chosen }).ok).toBe(true);
  });

  it('can take the name of a deleted session, and never its id', () => {
    const world = tree();
    must(world.decide((unit) => deleteSession(unit, 'b')));
    expect(failureOf(world.tryCreate('b')).error).toBe('session_exists');
    expect(must(world.tryCreate('b', { sessionId: 'ses_b2' })).sessionName).toBe('b');
  });

  it.each([
    [{}, 'resume'],
    [{ external: true }, 'pull'],
    [{ delivery: 'pull' }, 'pull'],
  ] as const)('%j gets callbacks by %s', (over, delivery) => {
    expect(must(tree().tryCreate('x', over)).delivery).toBe(delivery);
  });

  it('has a callback that is held from the start where its parent asked for one', () => {
    const world = tree();
    expect(world.callbackOf('a')).toMatchObject({
      status: 'held',
      parentSessionId: 'ses_root',
      parentGeneration: 1,
      childGeneration: 1,
    });
    world.create('quiet', { parent: 'root' });
    expect(() => world.callbackOf('quiet')).toThrow('no callback');
  });
});
