import { describe, expect, it } from 'vitest';
import { registerSchema, removeSchema } from '../../src/domain/schemas/register.js';
import { must, refusalOf, World } from './world.js';

const register = (world: World, name: string, hash: string) =>
  must(world.decide((draft) => registerSchema(draft, { name, hash, jsonSchema: {}, description: null })));

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

  it('is removed where no state uses it', () => {
    const world = new World();
    world.create('root');
    world.giveState();
    const remove = (name: string, version: number) =>
      world.decide((draft) => removeSchema(draft, name, version));
    expect(refusalOf(remove('plan', 1))).toMatchObject({ error: 'schema_in_use', members: { states: 1 } });
    expect(refusalOf(remove('plan', 2)).error).toBe('schema_not_found');
    must(world.dropState());
    must(remove('plan', 1));
    expect(world.store.schemas.size).toBe(0);
  });
});
