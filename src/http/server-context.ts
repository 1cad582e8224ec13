// What the whole door shares: the service behind it, its bounds, and what it says about itself.
import type { Limits } from '../domain/limits.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { McpTransport } from '../ports/mcp-transport.js';
import type { Host } from '../ports/service.js';
import type { CallerWatch } from './caller-watch.js';
import type { Guard } from './guard.js';
import type { Metrics } from './metrics.js';
import type { Slices } from '../ports/slices.js';
import type { StreamBuffers } from './replies/stream-buffers.js';

export interface HttpOptions {
  readonly host: Host;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly clock: Clock;
  /** True where callers must show a token; then `/metrics` asks for one too. */
  readonly auth: boolean;
  /** Hosts beside the loopback ones under which the service may be addressed: the bound host belongs here. Ports do not count. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages elsewhere that may call, such as `https://tools.example`; they get CORS headers, no others do. */
  readonly allowedOrigins: readonly string[];
  /** Version of the product, for the OpenAPI document. */
  readonly version: string;
  /** True from the moment that the process is told to stop. */
  readonly draining: () => boolean;
  /** What answers at `/mcp`; nothing is there where it is left out. */
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
  /** What is long and not urgent waits its turn here. */
  readonly slices: Slices;
  /** What readers of streams have yet to take. */
  readonly streamBuffers: StreamBuffers;
  /** The OpenAPI document as JSON text. */
  readonly openApiText: () => string;
  /** The reference page. */
  readonly docsPage: () => string;
}
