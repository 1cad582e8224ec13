// Starts one PostgreSQL server for all tests of a run that need one.
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.js';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
