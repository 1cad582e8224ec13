// What `countersign doctor --db postgres://…` and a start say of tables, columns, indexes, views, sequences and triggers.
import { beforeEach, describe, expect, it } from 'vitest';
import { examineFile } from '../../../src/main/commands/doctor-file.js';
import type { LogFields } from '../../../src/ports/runtime.js';
import { openPostgresStore } from '../../../src/store/postgres/open.js';
import { execute, newMigratedDatabase } from '../../support/postgres.js';

let url: string;
beforeEach(async () => {
  url = await newMigratedDatabase();
});

const details = async () => {
  const found = await examineFile(url, {});
  if (!found.ok) throw new Error(found.failure.detail);
  for (const { check } of found.value.findings) expect(check).toBe('file_sound');
  expect(found.value.healthy).toBe(found.value.findings.length === 0);
  return found.value.findings.map(({ detail }) => detail);
};

describe('the examination of a PostgreSQL database', () => {
  const start = async () => {
    const warned: unknown[] = [];
    const logger = {
      warn: ({ kind, name }: LogFields) => void warned.push(`${String(kind)} ${String(name)}`),
    };
    await (await openPostgresStore({ url, coordinate: { keys: null, logger } })).close();
    return warned;
  };

  it('finds nothing in a new one', async () => {
    expect(await details()).toEqual([]);
    expect(await start()).toEqual([]);
  });

  it.each([
    [['index sessions_id'], 'drop index sessions_id'],
    [['index runs_due'], 'drop index runs_due'],
    [['view state_heads'], 'alter view state_heads rename to away'],
    [['trigger state_history_cuts_root'], 'drop trigger state_history_cuts_root on state_history_cuts'],
    [
      ['function root_of_state_key', 'trigger state_history_cuts_root'],
      'drop function root_of_state_key cascade',
    ],
  ])('names a missing %s, of which a start warns', async (objects, statement) => {
    await execute(url, statement);
    expect(await details()).toEqual(objects.map((object) => `The ${object} is missing.`));
    expect(await start()).toEqual(objects);
  });

  it.each([
    ['sequence commit_numbers', 'alter sequence commit_numbers rename to away'],
    ['table notices', 'alter table notices rename to away'],
    ['column read_marks.root_session_id', 'alter table read_marks rename column root_session_id to away'],
  ])('names a missing %s, with which nothing starts', async (object, statement) => {
    await execute(url, statement);
    expect(await details()).toEqual([`The ${object} is missing.`]);
    await expect(start()).rejects.toThrow(`cannot be used: its ${object} is missing; restore a backup`);
  });

  it('names a trigger of somebody else', async () => {
    await execute(
      url,
      `create function f() returns trigger language plpgsql as $$ begin return new; end $$;
       create trigger mine before insert on notices for each row execute function f()`,
    );
    expect(await details()).toEqual([
      'The trigger mine on notices is not of Countersign, and may change what is written.',
    ]);
  });
});
