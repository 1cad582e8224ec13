// What attacks are made of: states of some shape, and many of the same at a time.
import type { Target } from './target.js';

/** What one caller may send. */
export interface Attack {
  readonly name: string;
  /** Makes what is attacked, which is not measured. What it returns is. */
  readonly ready: (target: Target) => Promise<() => Promise<unknown>>;
}

let count = 0;

/** A name that nothing else has. */
export function fresh(what: string): string {
  count += 1;
  return `${what}-${String(count)}`;
}

/** A state of a tree of its own, and what may be sent to it. */
export class AttackedState {
  private constructor(
    readonly target: Target,
    readonly id: string,
    readonly root: string,
  ) {}

  static async open(
    target: Target,
    data: unknown,
    schema: object = { type: 'object' },
  ): Promise<AttackedState> {
    const name = fresh('attack');
    await target.must('POST', '/workflow-schemas', { name, json_schema: schema });
    const root = await target.must('POST', '/sessions', { session_name: fresh('root'), external: true });
    const body = { schema_name: name, root_session_id: root.session_id, initial_data: data };
    const state = await target.must('POST', '/workflow-states', body);
    return new AttackedState(target, state.state_id, root.session_id);
  }

  get path(): string {
    return `/workflow-states/${this.id}`;
  }

  get(more = '') {
    return this.target.call('GET', this.path + more);
  }

  put(data: unknown, more: object = {}) {
    return this.target.call('PUT', this.path, { data, ...more });
  }

  /** JSON Patch. */
  patch(operations: readonly object[]) {
    const headers = { 'content-type': 'application/json-patch+json' };
    return this.target.call('PATCH', this.path, operations, headers);
  }

  mergePatch(patch: unknown) {
    return this.target.call('PATCH', this.path, patch, { 'content-type': 'application/merge-patch+json' });
  }

  /** Atomic operators. */
  ops(operations: readonly object[]) {
    return this.target.call('POST', `${this.path}/ops`, { operations });
  }

  set(pointer: string, value: unknown) {
    return this.ops([{ op: 'set', pointer, value }]);
  }

  /** Sends a condition that nobody hears the answer of. */
  wait(until: object, timeoutMs = 60_000) {
    const body = { until, timeout_ms: timeoutMs };
    return this.target.call('POST', `${this.path}/wait`, body).catch(() => null);
  }
}

/** An attack on one state. */
export function onState(
  name: string,
  data: () => unknown,
  attack: (state: AttackedState) => Promise<unknown>,
  { schema, before }: { schema?: object; before?: (state: AttackedState) => Promise<unknown> } = {},
): Attack {
  return {
    name,
    async ready(target) {
      const state = await AttackedState.open(target, data(), schema);
      await before?.(state);
      return () => attack(state);
    },
  };
}

/** An array of so many items. */
export function list<T>(length: number, make: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => make(at));
}

/** An object of so many members. */
export function members<T>(length: number, make: (at: number) => T, name = 'm'): Record<string, T> {
  return Object.fromEntries(list(length, (at) => [`${name}${String(at)}`, make(at)]));
}

/** A document of one number, so many times. */
export const scalars = (length: number, value: number) => ({ items: list(length, () => value) });

/** A document of so many members with one value. */
export const wide = (length: number, value: unknown, name = 'm') => members(length, () => value, name);

/** A document of 900 kB of one character. */
export const text = (at: number) => ({ text: String(at % 10).repeat(900_000) });

/** So many at a time, all told. */
export async function many(
  total: number,
  atOnce: number,
  one: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < total; at = next++) await one(at).catch(() => undefined);
  };
  await Promise.all(list(Math.min(total, atOnce), lane));
}

/** One after the other. */
export const each = (total: number, one: (at: number) => Promise<unknown>) => many(total, 1, one);

/** Connections that ask for something and take nothing of the answer. */
export async function silentReaders(
  target: Target,
  total: number,
  path: string,
  headers = '',
): Promise<void> {
  await many(total, 100, async () => {
    const host = `Host: 127.0.0.1:${String(target.port)}`;
    const socket = await target.raw(`GET ${path} HTTP/1.1\r\n${host}\r\n${headers}\r\n`);
    socket.pause();
  });
  await pause(500);
}

/** Calls a tool of MCP. */
export function callTool(target: Target, name: string, args: object, headers: Record<string, string> = {}) {
  return target.call(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18', ...headers },
  );
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
