// Numbers for Prometheus. Requests are counted in plain arrays, since that happens on each one; all else is made when asked for.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Host } from '../ports/service.js';

/** Upper bounds of the histogram's buckets, seconds. */
const BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

/** What one route has answered. */
interface Counters {
  readonly labels: string;
  readonly byStatus: Map<number, number>;
  readonly buckets: number[];
  seconds: number;
  count: number;
}

/** Counts the answers of one route. */
export type CountRequest = (status: number, durationMs: number) => void;

export interface Metrics {
  /** Starts counting for a route. `route` is its path as written in the definition. */
  route(method: string, route: string): CountRequest;
  /** Adds a number that is asked for with each scrape; `countersign_` goes before its name. */
  observe(name: string, type: 'gauge' | 'counter', help: string, value: () => number): void;
  /** Everything, in the text format of Prometheus. */
  text(host: Host): Promise<string>;
  readonly contentType: string;
}

function histogramLines(name: string, { labels, buckets, seconds, count }: Counters): string[] {
  let below = 0;
  const lines = BUCKETS_SECONDS.map((bound, index) => {
    below += buckets[index] ?? 0;
    return `${name}_bucket{${labels},le="${bound}"} ${below}`;
  });
  return [
    ...lines,
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

function requestText(routes: readonly Counters[]): string {
  const asked = routes.filter((counters) => counters.count > 0);
  const lines = [
    '# HELP http_requests_total Requests answered.',
    '# TYPE http_requests_total counter',
    ...asked.flatMap(({ labels, byStatus }) =>
      [...byStatus].map(([status, count]) => `http_requests_total{${labels},status="${status}"} ${count}`),
    ),
    '# HELP http_request_duration_seconds Time from a request to its answer.',
    '# TYPE http_request_duration_seconds histogram',
    ...asked.flatMap((counters) => histogramLines('http_request_duration_seconds', counters)),
  ];
  return `${lines.join('\n')}\n`;
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
  const routes: Counters[] = [];
  const observed: (() => string)[] = [];
  let process: Registry | null = null;

  /** Made on the first scrape: the observers it installs cost something all the time. */
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
      const counters: Counters = {
        labels: `route="${route}",method="${method}"`,
        byStatus: new Map(),
        buckets: BUCKETS_SECONDS.map(() => 0),
        seconds: 0,
        count: 0,
      };
      routes.push(counters);
      return (status, durationMs) => {
        const seconds = durationMs / 1000;
        counters.count += 1;
        counters.seconds += seconds;
        counters.byStatus.set(status, (counters.byStatus.get(status) ?? 0) + 1);
        const bucket = BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
        const before = counters.buckets[bucket];
        if (before !== undefined) counters.buckets[bucket] = before + 1;
      };
    },
    observe(name, type, help, value) {
      const full = `countersign_${name}`;
      observed.push(() => `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${full} ${value()}\n`);
    },
    async text(host) {
      return [
        requestText(routes),
        ...observed.map((text) => text()),
        await countsText(host),
        await processRegistry().metrics(),
      ].join('\n');
    },
  };
}
