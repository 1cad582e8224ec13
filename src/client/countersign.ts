// The client class: every call returns its value and throws on failure.
import type { StateWaited, StateWritten } from '../ports/api/index.js';
import type { Countersign as Service } from '../ports/service.js';
import { createClient } from './create-client.js';
import type { ClientOptions } from './transport/options.js';
import { throwing, valueOf, type Throwing, type ThrowingService } from './throwing.js';
import { updateState, type Change, type MutableJsonObject, type UpdateOptions } from './update.js';
import { waitForState, type StateCondition, type WaitLimits } from './wait-for-state.js';
import { watch, type WatchEvent, type WatchOptions, type WatchTarget } from './watch.js';

/**
 * A client for one Countersign service, acting as the caller that the options identify.
 *
 * Every call throws `CountersignError` if the service rejects it, and `ConnectionError` if no reply of the
 * service arrives. Retryable failures are retried first; see {@link ClientOptions}.
 *
 * @example
 * ```ts
 * const countersign = new Countersign({ url: 'http://127.0.0.1:4717', token });
 * const { current_data, version } = await countersign.states.get(stateId);
 * ```
 */
export class Countersign implements ThrowingService<Service> {
  /** The same calls; failures are returned as values. */
  readonly results: Service;
  /** The same client without retries, for calls that repeat requests within their own time limit. */
  readonly #once: Service;
  readonly schemas: Throwing<Service['schemas']>;
  readonly states: Throwing<Service['states']>;
  readonly keys: Throwing<Service['keys']>;
  readonly workflow: Throwing<Service['workflow']>;
  readonly sessions: Throwing<Service['sessions']>;
  readonly agents: Throwing<Service['agents']>;
  readonly runs: Throwing<Service['runs']>;
  readonly runners: Throwing<Service['runners']>;
  readonly callbacks: Throwing<Service['callbacks']>;
  readonly webhooks: Throwing<Service['webhooks']>;
  readonly streams: Throwing<Service['streams']>;
  readonly hooks: Throwing<Service['hooks']>;
  readonly operations: Throwing<Service['operations']>;

  /** @throws TypeError If the URL, token or name is invalid. */
  constructor(options: ClientOptions) {
    this.results = createClient(options);
    this.#once = createClient({ ...options, retry: false });
    this.schemas = throwing(this.results.schemas);
    this.states = throwing(this.results.states);
    this.keys = throwing(this.results.keys);
    this.workflow = throwing(this.results.workflow);
    this.sessions = throwing(this.results.sessions);
    this.agents = throwing(this.results.agents);
    this.runs = throwing(this.results.runs);
    this.runners = throwing(this.results.runners);
    this.callbacks = throwing(this.results.callbacks);
    this.webhooks = throwing(this.results.webhooks);
    this.streams = throwing(this.results.streams);
    this.hooks = throwing(this.results.hooks);
    this.operations = throwing(this.results.operations);
  }

  /**
   * Reads a state, passes its document to `change`, and writes the result. No concurrent write is lost; see
   * {@link updateState}.
   *
   * @typeParam T - Type of the document, according to the schema of the state.
   */
  async update<T extends object = MutableJsonObject>(
    stateId: string,
    change: Change<T>,
    options?: UpdateOptions,
  ): Promise<StateWritten> {
    return valueOf(await updateState(this.results.states, stateId, change, options));
  }

  /** Follows a state, a tree or all events, across lost connections and service restarts; see {@link watch}. */
  async *watch(target: WatchTarget, options?: WatchOptions): AsyncGenerator<WatchEvent, void, void> {
    for await (const event of watch(this.results, target, options)) yield valueOf(event);
  }

  /** Waits until a document satisfies a condition, up to the caller's time limit; see {@link waitForState}. */
  async waitFor(stateId: string, condition: StateCondition, limits?: WaitLimits): Promise<StateWaited> {
    return valueOf(await waitForState(this.#once.states, stateId, condition, limits));
  }
}
