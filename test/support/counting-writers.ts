// Writers that count up one state through several coordinators, while a test takes the database away.
import { expect } from 'vitest';
import type { CountersignService } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { must } from './stage.js';

export class CountingWriters {
  /** The versions that writers were told, by their coordinator. */
  readonly #acknowledged: ReadonlyMap<CountersignService, number[]>;
  readonly #writers: readonly Promise<void>[];
  #unknown = 0;
  #isOver = false;

  private constructor(
    private readonly clients: readonly CountersignService[],
    private readonly stateId: string,
    writersOfEach: number,
  ) {
    this.#acknowledged = new Map(clients.map((client) => [client, []]));
    this.#writers = clients.flatMap((client) =>
      Array.from({ length: writersOfEach }, () => this.#write(client)),
    );
  }

  /** Makes the state, and begins. */
  static async start(
    clients: readonly CountersignService[],
    writersOfEach: number,
  ): Promise<CountingWriters> {
    const [one] = clients;
    must(await one!.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await one!.sessions.create({ session_name: 'root', external: true }));
    const created = await one!.states.create({
      schema_name: 'plan',
      initial_data: { n: 0 },
      root_session_name: 'root',
    });
    return new CountingWriters(clients, must(created).state_id, writersOfEach);
  }

  get #told(): readonly number[] {
    return [...this.#acknowledged.values()].flat();
  }

  /** Waits until each coordinator has taken so many further writes. */
  async goOn(writes: number, withinMs?: number): Promise<void> {
    const taken = () => this.clients.map((client) => this.#acknowledged.get(client)?.length ?? 0);
    const before = taken();
    await eventually(
      'each writes',
      () => taken().every((count, i) => count >= before[i]! + writes),
      withinMs,
    );
  }

  /** Ends the writers, and checks through each coordinator that every acknowledged write is there, once. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#writers);
    const versions = this.#told;
    expect(new Set(versions).size).toBe(versions.length);
    for (const client of this.clients) {
      const { current_data, version } = must(await client.states.get(this.stateId));
      expect(version).toBe((current_data as { n: number }).n + 1);
      expect(version).toBeGreaterThanOrEqual(Math.max(...versions));
      expect(version - 1).toBeGreaterThanOrEqual(versions.length);
      expect(version - 1).toBeLessThanOrEqual(versions.length + this.#unknown);
    }
  }

  async #write(client: CountersignService): Promise<void> {
    while (!this.#isOver) {
      const result = await client.states
        .ops(this.stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {})
        .catch(() => null);
      if (result?.ok === true) this.#acknowledged.get(client)?.push(result.value.version);
      else this.#unknown += 1;
    }
  }
}
