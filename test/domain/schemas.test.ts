import { describe, expect, it } from 'vitest';
import type { CompatibilityMode } from '../../src/domain/records/records.js';
import { namedVersions, registerSchema, removeSchema } from '../../src/domain/schemas/register.js';
import { must, failureOf, World } from './world.js';

const register = (world: World, name: string, hash: string, compatibility: CompatibilityMode | null = null) =>
  must(
    world.decide((unit) => {
      const command = { name, hash, jsonSchema: {}, description: null, compatibility, rootSessionId: null };
      const { newest } = namedVersions(unit, name, hash);
      return registerSchema(unit, command, newest?.version ?? null);
    }),
  );

describe('a workflow schema', () => {
  it('is a new version for new content, and the same for the same', () => {
    const world = new World();
    expect(register(world, 'review', 'h1')).toMatchObject({ created: true, schema: { version: 1 } });
    expect(register(world, 'review', 'h2')).toMatchObject({ created: true, schema: { version: 2 } });
    const before = world.store.written.length;
    expect(register(world, 'review', 'h1')).toMatchObject({ created: false, schema: { version: 1 } });
    expect(world.store.written).toHaveLength(before);
    expect(register(world, 'other', 'h1')).toMatchObject({ created: true, schema: { version: 1 } });
  });

  it('gives its name a promise, which later versions take over and known content may change', () => {
    const world = new World();
    const versions = () => [...world.store.schemas.values()].filter((one) => one.name === 'review');
    const modes = () => versions().map((one) => one.compatibility);
    register(world, 'review', 'h1', 'backward');
    register(world, 'review', 'h2');
    expect(modes()).toEqual(['backward', 'backward']);
    register(world, 'review', 'h3', 'full');
    expect(modes()).toEqual(['backward', 'backward', 'full']);
    expect(register(world, 'review', 'h1', 'none')).toMatchObject({
      created: false,
      schema: { version: 1, compatibility: 'none' },
    });
    expect(modes()).toEqual(['none', 'backward', 'none']);
    expect(register(world, 'review', 'h4')).toMatchObject({ schema: { compatibility: 'none' } });
  });

  it('is compared again where its name has moved on meanwhile', () => {
    const world = new World();
    register(world, 'review', 'h1');
    const command = {
      name: 'review',
      hash: 'h2',
      jsonSchema: {},
      description: null,
      compatibility: null,
      rootSessionId: null,
    };
    expect(must(world.decide((unit) => registerSchema(unit, command, null)))).toBeNull();
    expect([...world.store.schemas.values()].filter((one) => one.name === 'review')).toHaveLength(1);
  });

  it('is removed where no state uses it', () => {
    const world = new World();
    world.create('root');
    world.giveState();
    const remove = (name: string, version: number) =>
      world.decide((unit) => removeSchema(unit, name, version));
    expect(failureOf(remove('plan', 1))).toMatchObject({ error: 'schema_in_use', members: { states: 1 } });
    expect(failureOf(remove('plan', 2)).error).toBe('schema_not_found');
    must(world.dropState());
    must(remove('plan', 1));
    expect(world.store.schemas.size).toBe(0);
  });
});
