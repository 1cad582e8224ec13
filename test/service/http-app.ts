// An HTTP app on a service of the harness.
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createHttpApp, type HttpApp } from '../../src/http/index.js';
import type { Host } from '../../src/ports/host.js';
import { silent, type Harness } from './harness.js';

/**
 * One app for all tests of a file: its first request of each route takes longer than most tests. It answers when all is on
 * disk that a request writes, so that tests can look there.
 *
 * @param harness - The harness that is open now.
 * @param host - What differs from its service.
 */
export function appOn(harness: () => Harness, host: Partial<Host> = {}): HttpApp {
  const service = () => harness().service;
  return createHttpApp({
    host: {
      identify: (credentials) => service().identify(credentials),
      as: (actor) => service().as(actor),
      once: async (actor, request, work) => {
        const result = await service().once(actor, request, work);
        await service().answersKept();
        return result;
      },
      damagedRecord: (damage) => service().damagedRecord(damage),
      textOf: (document) => service().textOf(document),
      ready: () => service().ready(),
      counts: () => service().counts(),
      ...host,
    },
    limits: DEFAULT_LIMITS,
    logger: silent,
    clock: { now: () => harness().clock.now(), wall: () => harness().clock.wall() },
    auth: false,
    allowedHosts: [],
    allowedOrigins: [],
    version: 'test',
    draining: () => false,
  });
}
