// A runner whose runs the test itself plays: it claims them, acts as their agents, and says how they ended.
import type { ClaimedRun, RunCompleted } from '../../src/ports/api/index.js';
import type { Countersign } from '../../src/ports/service.js';
import { must } from './stage.js';

export class PlayedRunner {
  readonly #waiting: ClaimedRun[] = [];

  private constructor(
    private readonly service: Countersign,
    private readonly runnerId: string,
  ) {}

  static async register(service: Countersign): Promise<PlayedRunner> {
    const body = { hostname: 'played', executor_types: ['command'], max_concurrent: 16 };
    return new PlayedRunner(service, must(await service.runners.register(body)).runner_id);
  }

  /** The next run of a session, begun. */
  async take(sessionName: string): Promise<ClaimedRun> {
    for (;;) {
      const at = this.#waiting.findIndex((run) => run.session_name === sessionName);
      const [run] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (run !== undefined) {
        must(await this.service.runners.started(run.run_id, this.#held(run)));
        return run;
      }
      const work = must(
        await this.service.runners.poll({ runnerId: this.runnerId, waitMs: 5000, capacity: 8 }),
      );
      if (work.runs.length === 0) throw new Error(`no run of ${sessionName} came`);
      this.#waiting.push(...work.runs);
    }
  }

  /** Says that the run is under way, so that its lease does not end. */
  async heartbeat({ run_id, attempt, lease_token }: ClaimedRun): Promise<void> {
    const runs = [{ run_id, attempt, lease_token }];
    must(await this.service.runners.heartbeat({ runner_id: this.runnerId, runs }));
  }

  async complete(
    run: ClaimedRun,
    resultText: string,
    more: Pick<RunCompleted, 'result_data' | 'usage'> = {},
  ): Promise<void> {
    const body = { ...this.#held(run), result_text: resultText, ...more };
    must(await this.service.runners.completed(run.run_id, body));
  }

  #held({ attempt, lease_token }: ClaimedRun) {
    return { runner_id: this.runnerId, attempt, lease_token };
  }
}
