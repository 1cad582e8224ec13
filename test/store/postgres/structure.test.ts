// What `countersign doctor --db postgres://…` says of tables, columns, indexes, views, sequences and triggers.
import { beforeEach, describe, expect, it } from 'vitest';
import { examineFile } from '../../../src/main/commands/doctor-file.js';
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
  it('finds nothing in a new one', async () => {
    expect(await details()).toEqual([]);
  });

  it.each([
    ['drop index sessions_id', 'The index sessions_id is missing.'],
    ['drop index runs_due', 'The index runs_due is missing.'],
    ['alter sequence commit_numbers rename to away', 'The sequence commit_numbers is missing.'],
    ['alter table notices rename to away', 'The table notices is missing.'],
    ['alter view state_heads rename to away', 'The view state_heads is missing.'],
    [
      'alter table read_marks rename column root_session_id to away',
      'The column read_marks.root_session_id is missing.',
    ],
    [
      'drop trigger state_history_cuts_root on state_history_cuts',
      'The trigger state_history_cuts_root is missing.',
    ],
    [
      `create function f() returns trigger language plpgsql as $$ begin return new; end $$;
       create trigger mine before insert on notices for each row execute function f()`,
      'The trigger mine on notices is not of Countersign, and may change what is written.',
    ],
  ])('names what is wrong after: %s', async (statement, detail) => {
    await execute(url, statement);
    expect(await details()).toEqual([detail]);
  });
});
