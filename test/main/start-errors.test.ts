import { expect, it } from 'vitest';
import { startCoordinator, type CoordinatorOptions } from '../../src/main/coordinator.js';
import { silent } from '../service/harness.js';

it.each<[string, Partial<CoordinatorOptions>, string]>([
  ['the URL of a database', { db: 'mysql://x/y' }, 'mysql:// databases are not supported'],
  ['half a URL', { db: 'PG+ssl://[' }, 'PG+ssl:// databases are not supported'],
  ['a block that is none', { webhookAllow: ['10.0.0.0/40'] }, "'10.0.0.0/40' is no CIDR block"],
])('%s is refused before anything is opened', async (_, options, message) => {
  const base = {
    logger: silent,
    db: ':memory:',
    webhookAllow: [],
    limits: {},
    host: '127.0.0.1',
    allowHosts: [],
    allowOrigins: [],
  };
  await expect(startCoordinator({ ...base, ...options } as unknown as CoordinatorOptions)).rejects.toThrow(
    message,
  );
});
