// A Host that records what it was asked and answers what a test tells it to. Any verb not told answers `{}`.
import type { Actor } from '../../src/domain/access/actor.js';
import { damagedFailure, type Damage } from '../../src/domain/damage/damage.js';
import { ok, fail, type Failed, type Result } from '../../src/domain/errors.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import { createHttpApp, type HttpApp, type HttpOptions } from '../../src/http/index.js';
import type { StateEnvelope } from '../../src/ports/api/index.js';
import type { LogFields, Logger } from '../../src/ports/runtime.js';
import type { Credentials, Host } from '../../src/ports/host.js';
import type { Countersign } from '../../src/ports/service.js';

export interface Asked {
  readonly verb: string;
  readonly args: readonly unknown[];
}
export type Script = Record<string, (...args: any[]) => unknown>;

export const OPERATOR: Actor = { kind: 'operator', tokenName: null };

export const ENVELOPE: StateEnvelope = {
  state_id: 'st_1',
  schema_id: 'sch_1',
  schema_name: 'tasks',
  schema_version: 1,
  root_session_id: 'ses_1',
  root_session_name: 'root "current_data":0',
  version: 7,
  current_data: { phase: 'plan', note: '"current_data":0', tasks: [{ id: 1 }], ключ: '\u2028' },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  updated_by: null,
};

export class FakeHost implements Host {
  readonly asked: Asked[] = [];
  readonly credentials: Credentials[] = [];
  readonly script: Script;
  identity: Result<Actor> = ok(OPERATOR);
  isReady: Host['ready'] = () => Promise.resolve('ok');

  constructor(script: Script = {}) {
    this.script = script;
  }

  identify(credentials: Credentials): Promise<Result<Actor>> {
    this.credentials.push(credentials);
    return Promise.resolve(this.identity);
  }

  damagedRecord(damage: Damage): Failed {
    return damagedFailure(damage);
  }

  as(_actor: Actor): Countersign {
    const noun = (name: string) =>
      new Proxy(
        {},
        {
          get:
            (_target, member) =>
            (...args: unknown[]) => {
              const verb = `${name}.${String(member)}`;
              this.asked.push({ verb, args });
              const scripted = this.script[verb];
              return Promise.resolve(scripted === undefined ? ok({}) : scripted(...args));
            },
        },
      );
    const nouns = [
      'schemas',
      'states',
      'keys',
      'workflow',
      'sessions',
      'callbacks',
      'agents',
      'runs',
      'runners',
      'webhooks',
      'hooks',
      'operations',
      'streams',
    ];
    return Object.fromEntries(nouns.map((name) => [name, noun(name)])) as unknown as Countersign;
  }

  once: Host['once'] = async (actor, _request, work) => {
    const result = await work(this.as(actor));
    return result.ok ? ok({ answer: result.value, replayed: false }) : result;
  };

  textOf: Host['textOf'] = (document) => {
    const text = JSON.stringify(document);
    return { text, bytes: Buffer.byteLength(text) };
  };

  ready(): ReturnType<Host['ready']> {
    return this.isReady();
  }

  counts() {
    return Promise.resolve({ runs: { pending: 2, running: 1 }, sessions: { finished: 3 } });
  }
}

export interface LogLine {
  readonly level: string;
  readonly fields: LogFields;
  readonly message: string;
}

export function recordingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, verbose: true, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export interface FakeApp {
  readonly app: HttpApp;
  readonly host: FakeHost;
  readonly lines: LogLine[];
}

/** An app in front of a fake host. */
export function fakeApp(script: Script = {}, options: Partial<HttpOptions> = {}): FakeApp {
  const host = new FakeHost(script);
  const logger = recordingLogger();
  let now = 1_700_000_000_000;
  const app = createHttpApp({
    host,
    limits: DEFAULT_LIMITS,
    logger,
    clock: { now: () => (now += 1), wall: () => now },
    auth: false,
    allowedHosts: [],
    allowedOrigins: [],
    version: '1.2.3',
    draining: () => false,
    ...options,
  });
  return { app, host, lines: logger.lines };
}

export function limitsWith(changed: Partial<Limits>): Limits {
  return { ...DEFAULT_LIMITS, ...changed };
}

/** A JSON request. */
export function json(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

export { ok, fail };
