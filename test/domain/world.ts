// A whole domain to play with: the rules on the in-memory store, a clock that is moved by hand, counted ids. Documents
// are objects of one number each; a contract holds where its place holds an integer that is not negative.
import { isDeepStrictEqual } from 'node:util';
import { claim, heartbeat } from '../../src/domain/runs/claim.js';
import { report, type Report } from '../../src/domain/runs/report.js';
import { completionDue, runDue } from '../../src/domain/scheduling/due.js';
import { deciding, type Rule } from '../../src/domain/decisions/decide.js';
import { STALE, type DecisionContext } from '../../src/domain/transactions/decision-context.js';
import type { Result, Failure, Violation } from '../../src/domain/errors.js';
import type { LoadRequest } from '../../src/domain/transactions/loaded-records.js';
import type { JsonObject, JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import { valueAt } from '../../src/domain/json/pointer.js';
import { valueHash } from '../../src/domain/json/value-hash.js';
import type {
  Callback,
  Completion,
  CompletionSettings,
  Contract,
  Run,
  Session,
  FailureCause,
} from '../../src/domain/records/records.js';
import { createSession, type SessionCommand } from '../../src/domain/sessions/create.js';
import { queueWork, type WorkCommand } from '../../src/domain/runs/work.js';
import { createState, deleteState } from '../../src/domain/states/create.js';
import {
  commitWrites,
  OPERATOR,
  type ContractChange,
  type PreparedWrite,
} from '../../src/domain/states/write.js';
import { aRunner, aSchema, completionSettings, NOW } from '../store/records.js';
import { MemoryStore } from './memory-store.js';

const PREPARATIONS_MAX = 5;

export const CONTRACT_SCHEMA = { type: 'integer', minimum: 0 };

export function contractAt(pointer: string): Contract {
  return { pointer, schema: CONTRACT_SCHEMA, schemaHash: `hash-of-contract-${pointer}` };
}

export function violationsOf(contract: Contract | null, document: JsonObject): readonly Violation[] {
  if (contract === null) return [];
  const value = valueAt(document, contract.pointer);
  if (typeof value === 'number' && value >= 0) return [];
  return [{ pointer: contract.pointer, keyword: 'minimum', message: 'must be >= 0', expected: 0 }];
}

/** A run as its runner holds it. */
export interface HeldRun {
  readonly runId: string;
  readonly runnerId: string;
  readonly attempt: number;
  readonly leaseHash: string;
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.error}: ${result.failure.detail}`);
  return result.value;
}

export function failureOf(result: Result<unknown>): Failure {
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.value)}`);
  return result.failure;
}

export class World {
  readonly store = new MemoryStore();
  readonly limits: Limits;
  now = NOW;
  document: JsonObject = {};
  #ids = 0;
  readonly #claimed: HeldRun[] = [];

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.store.apply([
      { put: 'schema', record: aSchema() },
      { put: 'runner', record: aRunner({ runnerId: 'rnr_1', executorTypes: ['command'] }) },
    ]);
  }

  newId(prefix: string): string {
    return `${prefix}_${String((this.#ids += 1)).padStart(4, '0')}`;
  }

  /** Decides as the service does: without the document first, and with it where the rule asks for it. */
  decide<T>(rule: Rule<T>, loads: readonly LoadRequest[] = []): Result<T> {
    let context = this.context(false);
    for (let tries = 0; tries < PREPARATIONS_MAX; tries += 1) {
      const result = this.store.transact(loads, this.decision(context, rule, loads));
      if (result !== STALE) return result;
      context = this.context(true);
    }
    throw new Error('stale every time');
  }

  /** How a rule becomes a decision. */
  protected decision<T>(context: DecisionContext, rule: Rule<T>, loads: readonly LoadRequest[]) {
    return deciding(context, rule, loads);
  }

  context(prepared: boolean): DecisionContext {
    const bare = {
      now: this.now,
      limits: this.limits,
      newId: (prefix: string) => this.newId(prefix),
      keys: null,
      documentOf: () => undefined,
      contractViolationsOf: () => undefined,
      ruledOut: () => null,
      exampleOf: () => null,
      webhooks: () => [...this.store.webhooks.values()].filter((one) => one.enabled),
    };
    if (!prepared) return bare;
    return {
      ...bare,
      documentOf: ({ stateId, version }) => ({
        stateId,
        version,
        document: this.document,
        text: JSON.stringify(this.document),
        schema: { type: 'object' },
        schemaName: 'plan',
        schemaHash: 'plan-1',
      }),
      contractViolationsOf: ({ settings }) => violationsOf(settings.contract, this.document),
    };
  }

  session(name: string): Session {
    const found = [...this.store.sessions.values()].findLast((one) => one.sessionName === name);
    if (found === undefined) throw new Error(`no session ${name}`);
    return found;
  }

  completion(name: string, generation?: number): Completion {
    const { sessionId, generation: present } = this.session(name);
    const found = this.store.completions.get(`${sessionId}#${generation ?? present}`);
    if (found === undefined) throw new Error(`no completion of ${name}`);
    return found;
  }

  callbackOf(name: string, generation?: number): Callback {
    const { sessionId, generation: present } = this.session(name);
    const found = [...this.store.callbacks.values()].find(
      (one) => one.childSessionId === sessionId && one.childGeneration === (generation ?? present),
    );
    if (found === undefined) throw new Error(`no callback of ${name}`);
    return found;
  }

  runsOf(name: string): readonly Run[] {
    const { sessionId } = this.session(name);
    return [...this.store.runs.values()].filter((one) => one.sessionId === sessionId);
  }

  /** Runs of a session that have not ended. */
  openRunsOf(name: string): readonly Run[] {
    return this.runsOf(name).filter((one) => one.completedAt === null);
  }

  create(name: string, over: Partial<SessionCommand> = {}): Session {
    return must(this.tryCreate(name, over));
  }

  tryCreate(name: string, over: Partial<SessionCommand> = {}): Result<Session> {
    return this.decide((unit) => createSession(unit, aSessionCommand(name, over)));
  }

  /** A child that asks to be told of, with the settings that matter. */
  child(
    name: string,
    parent: string,
    settings: Partial<CompletionSettings> = {},
    over: Partial<SessionCommand> = {},
  ) {
    return this.create(name, { parent, callback: true, settings: completionSettings(settings), ...over });
  }

  giveState(document: JsonObject = {}): string {
    const root = [...this.store.sessions.values()].find((one) => one.parentSessionId === null);
    if (root === undefined) throw new Error('no root');
    const stateId = this.newId('wst');
    this.document = document;
    must(
      this.decide(
        (unit) =>
          createState(unit, unit.aggregate(root.sessionId).session, {
            stateId,
            schema: aSchema(),
            text: JSON.stringify(document),
            patchText: '[]',
            writer: OPERATOR,
          }),
        [{ load: 'aggregate', sessionId: root.sessionId }],
      ),
    );
    return stateId;
  }

  dropState(): Result<null> {
    const [head] = this.store.states.values();
    return this.decide((unit) => deleteState(unit, head?.stateId ?? 'wst_none'));
  }

  work(name: string, over: Partial<WorkCommand> = {}): Run {
    const { sessionId } = this.session(name);
    return must(
      this.decide(
        (unit) => ({
          ok: true,
          value: queueWork(unit, unit.aggregate(sessionId).session, {
            type: 'start_session',
            prompt: 'Do it.',
            timeoutMs: null,
            metadata: {},
            ...over,
          }),
        }),
        [{ load: 'aggregate', sessionId }],
      ),
    );
  }

  claim(count = 100, runnerId = 'rnr_1'): readonly HeldRun[] {
    const leases = Array.from({ length: count }, () => {
      const token = this.newId('lease');
      return { token, hash: `hash-of-${token}` };
    });
    const taken = must(this.decide((unit) => claim(unit, runnerId, leases)));
    return taken.map(({ run, token }) => ({
      runId: run.runId,
      runnerId,
      attempt: run.attempt,
      leaseHash: `hash-of-${token}`,
    }));
  }

  report(held: HeldRun, said: Report): Result<Run> {
    return this.decide((unit) => report(unit, held, said));
  }

  start(held: HeldRun): Result<Run> {
    return this.report(held, { type: 'started', executorType: 'command', executorSessionId: null });
  }

  complete(held: HeldRun, resultText: string | null = null, resultData: JsonValue = null): Result<Run> {
    return this.report(held, {
      type: 'completed',
      usage: null,
      executorSessionId: null,
      resultText,
      resultData,
    });
  }

  fail(held: HeldRun, cause: FailureCause = 'agent', error = 'It broke.') {
    return this.report(held, {
      type: 'failed',
      error,
      cause,
      usage: null,
      resultText: null,
      resultData: null,
    });
  }

  stopped(held: HeldRun): Result<Run> {
    return this.report(held, { type: 'stopped', resultText: null, resultData: null });
  }

  heartbeat(held: readonly HeldRun[], runnerId = 'rnr_1') {
    return must(this.decide((unit) => heartbeat(unit, runnerId, held)));
  }

  /** Claims the run of a session that waits, and starts it. What is claimed beside it waits for its own turn. */
  take(name: string): HeldRun {
    const { sessionId } = this.session(name);
    this.#claimed.push(...this.claim());
    const held = this.#claimed.find((one) => {
      const run = this.store.runs.get(one.runId);
      return run?.sessionId === sessionId && run.status === 'claimed' && run.attempt === one.attempt;
    });
    if (held === undefined) throw new Error(`no run waits for ${name}`);
    must(this.start(held));
    return held;
  }

  /** Does the waiting work of a session, whatever it is. */
  play(name: string, resultText: string | null = null): void {
    must(this.complete(this.take(name), resultText));
  }

  /** A session (or the operator, `null`) sets a member of the document. */
  write(name: string | null, member: string, value: number): void {
    const [head] = this.store.states.values();
    if (head === undefined) throw new Error('no state');
    const prepared = this.prepared(name, member, value);
    this.document = { ...this.document, [member]: value };
    must(this.decide((unit) => commitWrites(unit, head.stateId, head, [{ write: prepared }])));
  }

  prepared(name: string | null, member: string, value: number): PreparedWrite {
    const completion = name === null ? null : this.completion(name);
    const patch = [{ op: 'add', path: `/${member}`, value }] as const;
    const before = this.document;
    const document = { ...before, [member]: value };
    return {
      kind: 'json_patch',
      writer: { sessionId: completion?.sessionId ?? null, runId: null, tokenName: null },
      terms:
        completion === null ? null : { generation: completion.generation, settings: completion.settings },
      patch,
      patchText: JSON.stringify(patch),
      changesAt: (pointer) => !isDeepStrictEqual(valueAt(before, pointer), valueAt(document, pointer)),
      valueHashAt: (pointer) => valueHash(valueAt(document, pointer)),
      text: JSON.stringify(document),
      contractViolations: violationsOf(completion?.settings.contract ?? null, document),
      contractChanges: this.#contractChanges(completion?.sessionId ?? null, before, document),
    };
  }

  /** What a write does to the contracts of others. */
  #contractChanges(writer: string | null, before: JsonObject, after: JsonObject): ContractChange[] {
    const others = [...this.store.completions.values()].filter(
      (one) => one.releasedAt === null && one.sessionId !== writer,
    );
    return others.flatMap(({ sessionId, generation, settings: { contract } }) => {
      const [was, violations] = [violationsOf(contract, before), violationsOf(contract, after)];
      const isSame = (was.length === 0) === (violations.length === 0);
      return isSame ? [] : [{ sessionId, generation, violations }];
    });
  }

  refuseWrite(name: string, violations: readonly Violation[]): void {
    const [head] = this.store.states.values();
    if (head === undefined) throw new Error('no state');
    const { sessionId } = this.session(name);
    must(
      this.decide((unit) =>
        commitWrites(unit, head.stateId, head, [{ failure: { sessionId, runId: null, violations } }]),
      ),
    );
  }

  /** Lets time pass, and does what is due on the way, each at its time. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (let rounds = 0; ; rounds += 1) {
      if (rounds > 1000) throw new Error('something is due for ever');
      this.fire();
      const next = this.store.nextDueAt(this.now);
      if (next === null || next > until) break;
      this.now = next;
    }
    this.now = until;
    this.fire();
  }

  /** Does what is due now. Throws where doing it does not make it go away. */
  fire(): void {
    for (let rounds = 0; ; rounds += 1) {
      const due = this.store.due(this.now);
      if (due.length === 0) return;
      if (rounds > 20) throw new Error(`still due after it was done: ${JSON.stringify(due)}`);
      for (const one of due) {
        must(
          one.kind === 'run'
            ? this.decide((unit) => runDue(unit, one.runId))
            : this.decide((unit) => completionDue(unit, one.sessionId)),
        );
      }
    }
  }
}

export function aSessionCommand(name: string, over: Partial<SessionCommand> = {}): SessionCommand {
  return {
    sessionId: `ses_${name}`,
    sessionName: name,
    parent: null,
    external: false,
    agentName: null,
    projectDir: null,
    callback: false,
    delivery: null,
    settings: completionSettings(),
    demands: { hostname: null, executorType: null, tags: [] },
    ...over,
  };
}

/** A tree with a state and a root whose work is done: it sleeps until it is told. */
export function sleepingRoot(limits: Partial<Limits> = {}): World {
  const world = new World(limits);
  world.create('root');
  world.giveState();
  world.work('root');
  world.play('root', 'sleeping');
  return world;
}
