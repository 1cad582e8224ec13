// The parts that all HTTP modules share: the service, its limits and its descriptions.
import type { Limits } from '../domain/limits.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { McpTransport } from '../ports/mcp-transport.js';
import type { Host } from '../ports/host.js';
import type { CallerWatch } from './caller-watch.js';
import type { Guard } from './guard.js';
import type { Metrics } from './metrics.js';
import type { TimeSlices } from '../lib/time-slices.js';
import type { StateReplies } from './replies/state-reply.js';
import type { EventBytes } from './replies/event-bytes.js';
import type { StreamBuffers } from './replies/stream-buffers.js';
import type { ReadBudget } from './read-budget.js';
import type { RequestIds } from './request-ids.js';

export interface HttpOptions {
  readonly host: Host;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly clock: Clock;
  /** True if callers must show a token. `/metrics` then requires one, too. */
  readonly auth: boolean;
  /** Hosts of the service besides loopback, including the bound host. Ports are ignored. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites that may call, such as `https://tools.example`. Only they get CORS headers. */
  readonly allowedOrigins: readonly string[];
  /** Version of the product, for the OpenAPI document. */
  readonly version: string;
  /** True once the process was told to stop. */
  readonly draining: () => boolean;
  /** Folder of the built dashboard; without it `/` does not exist. */
  readonly dashboard?: string | undefined;
  /** The handler of `/mcp`; the path does not exist without it. */
  readonly mcp?: McpTransport;
}

export interface ServerContext extends Pick<
  HttpOptions,
  'host' | 'limits' | 'logger' | 'clock' | 'auth' | 'draining'
> {
  readonly guard: Guard;
  readonly callers: CallerWatch;
  readonly mcp: McpTransport | null;
  readonly metrics: Metrics;
  readonly requestIds: RequestIds;
  /** Divides long work that is not urgent into time slices. */
  readonly slices: TimeSlices;
  /** Bounds the bytes of bodies that are read at once. */
  readonly readBudget: ReadBudget;
  /** The same for what readers of streams are sent: many readers of one change do not delay requests. */
  readonly streamSlices: TimeSlices;
  /** Bytes that readers of streams have not taken yet. */
  readonly streamBuffers: StreamBuffers;
  readonly eventBytes: EventBytes;
  readonly stateReplies: StateReplies;
  /** The OpenAPI document as JSON text. */
  readonly openApiText: () => string;
  /** The reference page. */
  readonly docsPage: () => string;
}
