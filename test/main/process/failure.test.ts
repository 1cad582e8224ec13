import { expect, it } from 'vitest';
import { failureOf } from '../../../src/main/process/failure.js';
import { CommitUnknownError, StorageError } from '../../../src/ports/storage/storage.js';
import { unusable } from '../../../src/store/sqlite/connection.js';

const errorOf = (code: string) => Object.assign(new Error(`${code}: copyfile`), { code });

it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
  'a command without space for %s is refused with storage_full',
  (code) => {
    expect(failureOf(unusable('/data/a.db', errorOf(code)))?.failure).toMatchObject({
      error: 'storage_full',
      detail: 'The database /data/a.db cannot be used: the disk is full.',
    });
  },
);

it('a command whose database may not be read is refused as a mistake, and a bug is no refusal', () => {
  expect(failureOf(unusable('/data/a.db', errorOf('EACCES')))?.failure.error).toBe('database_unusable');
  expect(failureOf(new Error('a bug'))).toBeNull();
});

it.each([
  ['storage_full', new StorageError('storage_full', 'The database cannot grow')],
  ['storage_busy', new StorageError('storage_busy', 'Another program holds the database')],
  ['storage_failed', new CommitUnknownError('the connection ended')],
])('a command whose database fails while it works is refused with %s', (code, error) => {
  expect(failureOf(error)?.failure).toMatchObject({ error: code, detail: expect.stringMatching(/\.$/) });
});
