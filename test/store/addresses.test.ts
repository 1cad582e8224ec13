// The URL of a PostgreSQL database with one server or several.
import { describe, expect, it } from 'vitest';
import { databaseKind, databaseName } from '../../src/store/index.js';
import { addressesOf } from '../../src/store/postgres/connection/addresses.js';

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

  it('names poolers, and where notifications come from', () => {
    const url = 'postgres://u@pool:6432/db?sslmode=require&pool_mode=transaction';
    expect(addressesOf(url)).toMatchObject({
      urls: ['postgres://u@pool:6432/db?sslmode=require'],
      arePoolers: true,
      listenUrls: [],
    });
    expect(addressesOf(`${url}&listen=one:5432,two:5432`)?.listenUrls).toEqual([
      'postgres://u@one:5432/db?sslmode=require',
      'postgres://u@two:5432/db?sslmode=require',
    ]);
    expect(addressesOf('postgres://one/db')).toMatchObject({
      arePoolers: false,
      listenUrls: ['postgres://one/db'],
    });
  });

  it.each([
    'postgres://one:port/db',
    'postgres://one/db?pool_mode=statement',
    'postgres://u@one/db?target_session_attrs=standby',
    'x',
  ])('%s is none', (url) => {
    expect(addressesOf(url)).toBeNull();
  });

  it('is shown without its user, password and parameters', () => {
    expect(databaseName('postgres://u:secret@one:5432,two/db?password=secret')).toBe(
      'postgres://one:5432,two/db',
    );
  });
});
