// The official conformance suite on the coordinator that ships, its MCP servers furnished with the suite's fixtures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCoordinator, type Coordinator } from '../../src/main/coordinator.js';
import { silent } from '../service/harness.js';
import { furnishedServer } from './furnished-server.js';
import { Kit } from './kit.js';
import { NOT_APPLICABLE, PASSING, REVISIONS } from './scenarios.js';
import { faultsOf, passes, runSuite, SUITE, type Report } from './suite.js';

let kit: Kit;
let coordinator: Coordinator;

beforeAll(async () => {
  kit = await Kit.install(SUITE);
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: ':memory:',
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: {},
    logger: silent,
    mcpServer: furnishedServer,
  });
});
afterAll(async () => {
  await coordinator.close();
  kit.remove();
});

describe.each(REVISIONS)('the conformance suite for %s', (revision) => {
  let report: Report;
  beforeAll(async () => {
    report = await runSuite(kit, `${coordinator.url}/mcp`, revision);
  });

  test.each(PASSING[revision])('passes: %s', (scenario) => {
    expect(faultsOf(report.get(scenario) ?? [])).toEqual([]);
    expect(passes(report.get(scenario) ?? [])).toBe(true);
  });

  test('has no other scenario that would apply', () => {
    const others = [...report.keys()].filter((scenario) => !PASSING[revision].includes(scenario));
    expect(others.sort()).toEqual(Object.keys(NOT_APPLICABLE[revision]).sort());
    expect(others.filter((scenario) => passes(report.get(scenario) ?? []))).toEqual([]);
  });
});
