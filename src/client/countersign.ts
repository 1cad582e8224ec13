// The client for programs: every call gives its value, and throws where it is refused.
import type { StateWaited, StateWritten } from '../ports/api/index.js';
import type { Countersign as Service } from '../ports/service.js';
import { createClient } from './create-client.js';
import type { ClientOptions } from './options.js';
import { throwing, valueOf, type Throwing, type ThrowingService } from './throwing.js';
import { updateState, type Change, type MutableJsonObject, type UpdateOptions } from './update.js';
import { waitForState, type StateCondition, type WaitLimits } from './wait-for-state.js';
import { watch, type WatchEvent, type WatchOptions, type WatchTarget } from './watch.js';

/**
 * A Countersign service, as the caller whom the options name.
 *
 * Every call throws `CountersignError` where the service refuses, and `ConnectionError` where no answer of it came back.
 * What a retry can help is sent again before that; see {@link ClientOptions}.
 */
export class Countersign implements ThrowingService<Service> {
  /** The same calls, with refusals as values. */
  readonly outcomes: Service;
  /** For what asks again by itself, within a time of its own. */
  readonly #once: Service;
  readonly schemas: Throwing<Service['schemas']>;
  readonly states: Throwing<Service['states']>;
  readonly keys: Throwing<Service['keys']>;
  readonly sessions: Throwing<Service['sessions']>;
  readonly agents: Throwing<Service['agents']>;
  readonly runs: Throwing<Service['runs']>;
  readonly runners: Throwing<Service['runners']>;
  readonly callbacks: Throwing<Service['callbacks']>;
  readonly webhooks: Throwing<Service['webhooks']>;
  readonly streams: Throwing<Service['streams']>;
  readonly hooks: Throwing<Service['hooks']>;
  readonly operations: Throwing<Service['operations']>;

  /** @throws TypeError Where the URL, token or name cannot be used. */
  constructor(options: ClientOptions) {
    this.outcomes = createClient(options);
    this.#once = createClient({ ...options, retry: false });
    this.schemas = throwing(this.outcomes.schemas);
    this.states = throwing(this.outcomes.states);
    this.keys = throwing(this.outcomes.keys);
    this.sessions = throwing(this.outcomes.sessions);
    this.agents = throwing(this.outcomes.agents);
    this.runs = throwing(this.outcomes.runs);
    this.runners = throwing(this.outcomes.runners);
    this.callbacks = throwing(this.outcomes.callbacks);
    this.webhooks = throwing(this.outcomes.webhooks);
    this.streams = throwing(this.outcomes.streams);
    this.hooks = throwing(this.outcomes.hooks);
    this.operations = throwing(this.outcomes.operations);
  }

  /**
   * Reads a state, has its document changed, and writes it, so that no write of others is lost; see
   * {@link updateState}.
   *
   * @typeParam T - The document, as the schema of the state has it.
   */
  async update<T extends object = MutableJsonObject>(
    stateId: string,
    change: Change<T>,
    options?: UpdateOptions,
  ): Promise<StateWritten> {
    return valueOf(await updateState(this.outcomes.states, stateId, change, options));
  }

  /** Follows a state, a tree or everything, over lost connections and restarts of the service; see {@link watch}. */
  async *watch(target: WatchTarget, options?: WatchOptions): AsyncGenerator<WatchEvent, void, void> {
    for await (const news of watch(this.outcomes, target, options)) yield valueOf(news);
  }

  /** Waits until a document satisfies a condition, for as long as the caller wants; see {@link waitForState}. */
  async waitFor(stateId: string, condition: StateCondition, limits?: WaitLimits): Promise<StateWaited> {
    return valueOf(await waitForState(this.#once.states, stateId, condition, limits));
  }
}
