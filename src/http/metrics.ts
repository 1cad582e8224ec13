// Metrics for Prometheus.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Host } from '../ports/host.js';

/** Upper bounds of the histogram's buckets, seconds. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts an answer of one route. */
export type CountRequest = (status: number, durationMs: number) => void;

export interface Metrics {
  /** Starts counting for a route. `route` is its path as in the definition. */
  route(method: string, route: string): CountRequest;
  /** Adds a value that is read on each scrape. `countersign_` is prepended to its name. */
  observe(name: string, type: 'gauge' | 'counter', help: string, value: () => number): void;
  /** All metrics, in the text format of Prometheus. */
  text(host: Host): Promise<string>;
  readonly contentType: string;
}

/** Records by status, as one gauge per kind, such as `countersign_runs{status="pending"}`. */
async function countsText(host: Host): Promise<string> {
  const registry = new Registry();
  for (const [kind, byStatus] of Object.entries(await host.counts())) {
    const gauge = new Gauge({
      name: `countersign_${kind}`,
      help: `Records of ${kind} by status.`,
      labelNames: ['status'],
      registers: [registry],
    });
    for (const [status, count] of Object.entries(byStatus)) gauge.set({ status }, count);
  }
  return registry.metrics();
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  /** The requests of each route by status, which a scrape copies: resolving labels for each request costs more. */
  const counted: {
    readonly route: string;
    readonly method: string;
    readonly byStatus: Map<number, number>;
  }[] = [];
  new Counter({
    name: 'http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { route, method, byStatus } of counted) {
        for (const [status, count] of byStatus) this.inc({ route, method, status: String(status) }, count);
      }
    },
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['route', 'method'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  let process: Registry | null = null;

  /** Created on the first scrape, because its observers have a constant cost. */
  function processRegistry(): Registry {
    if (process === null) {
      process = new Registry();
      collectDefaultMetrics({ register: process });
    }
    return process;
  }

  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    route(method, route) {
      const duration = durations.labels(route, method);
      const byStatus = new Map<number, number>();
      counted.push({ route, method, byStatus });
      return (status, durationMs) => {
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
        duration.observe(durationMs / 1000);
      };
    },
    observe(name, type, help, value) {
      const settings = { name: `countersign_${name}`, help, registers };
      if (type === 'gauge')
        new Gauge({
          ...settings,
          collect() {
            this.set(value());
          },
        });
      else
        new Counter({
          ...settings,
          collect() {
            this.reset();
            this.inc(value());
          },
        });
    },
    async text(host) {
      return [await registry.metrics(), await countsText(host), await processRegistry().metrics()].join('\n');
    },
  };
}
