import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';

/** Bytes and milliseconds say so; every other limit counts the things that it is named after. */
const UNIT =
  /Bytes|Ms|Percent|(webhooks|Characters|AttemptsKept|DeliveriesKept|PerOrigin|Truths|Depth|Operations|Events|Subschemas|FanOut|violations|Steps|Schemas|Attempts|Candidates|Concurrent|Retries|Failures|Items|heartbeats|AtOnce|findings|preparations|Facts|Conflicts|Cursors|Parts|OrdersSent|Waits|Notices|Versions|States|Rows|Streams|Sockets|Subscriptions|Values|Sessions|Resources|Receipts|Invocations|InvocationsKept)(Max|Default|Per)/i;

/** What 0 leaves without a bound. */
const UNBOUNDED = ['historyVersionsMax', 'historyAgeMsMax'];

describe('the limits', () => {
  it.each(Object.entries(DEFAULT_LIMITS))(
    '%s has its unit in its name, and is a whole number',
    (name, value) => {
      expect(name).toMatch(UNIT);
      expect(name).toMatch(/(Max|Min|Default|Ms|Percent)$|Per[A-Z][a-z]+(Max)?$/);
      expect(Number.isSafeInteger(value) && (value > 0 || UNBOUNDED.includes(name))).toBe(true);
    },
  );

  it('are those of the design', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      stateBytesMax: 1024 * 1024,
      documentDepthMax: 64,
      patchOperationsMax: 1000,
      schemaBytesMax: 256 * 1024,
      treeDepthMax: 10,
      completionAttemptsMax: 3,
      completionTimeoutMs: 120_000,
      completionRetryDelayMs: 5_000,
      sameCauseFailuresMax: 3,
    });
  });

  it('fit each other: a lease outlives two heartbeats, and the surroundings get more tries than the child', () => {
    const limits = DEFAULT_LIMITS;
    expect(limits.heartbeatsPerLease).toBeGreaterThan(1);
    expect(limits.environmentRetriesMax).toBeGreaterThan(limits.completionAttemptsMax);
    expect(limits.environmentBackoffMsMax).toBeGreaterThan(limits.environmentBackoffMs);
    expect(limits.pollTimeoutMs).toBeLessThanOrEqual(limits.waitMsMax);
    expect(limits.patchGrowthBytesMax).toBeGreaterThanOrEqual(limits.stateBytesMax);
    expect(limits.listItemsDefault).toBeLessThanOrEqual(limits.listItemsMax);
  });
});
