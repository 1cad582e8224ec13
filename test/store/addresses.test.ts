// The URL of a PostgreSQL database with one server or several.
import { describe, expect, it } from 'vitest';
import { databaseKind, databaseName } from '../../src/store/index.js';
import { addressesOf } from '../../src/store/postgres/addresses.js';

describe('the URL of a PostgreSQL database', () => {
  it.each([
    ['postgres://db.example/countersign', ['postgres://db.example/countersign']],
    [
      'postgresql://u:p%40@one:5432,two:5433/db?target_session_attrs=read-write',
      ['postgresql://u:p%40@one:5432/db', 'postgresql://u:p%40@two:5433/db'],
    ],
    [
      'postgres://u@one,two/db?sslmode=require&target_session_attrs=primary',
      ['postgres://u@one/db?sslmode=require', 'postgres://u@two/db?sslmode=require'],
    ],
    ['postgres://u@[::1]:5432/db', ['postgres://u@[::1]:5432/db']],
  ])('%s names its servers', (url, urls) => {
    expect(databaseKind(url)).toBe('postgres');
    expect(addressesOf(url)?.urls).toEqual(urls);
  });

  it.each(['postgres://one:port/db', 'postgres://u@one/db?target_session_attrs=standby', 'x'])(
    '%s is none',
    (url) => {
      expect(addressesOf(url)).toBeNull();
    },
  );

  it('is shown without its user, password and parameters', () => {
    expect(databaseName('postgres://u:secret@one:5432,two/db?password=secret')).toBe(
      'postgres://one:5432,two/db',
    );
  });
});
