// Kills the coordinator and the runner at random points, and starts them again at once or a little later.
import { pause } from '../support/eventually.js';
import type { Program } from '../support/program.js';
import type { Stage } from '../support/stage.js';
import type { Random } from './random.js';

export interface Kills {
  coordinator: number;
  runner: number;
}

export class Killer {
  readonly kills: Kills = { coordinator: 0, runner: 0 };
  /** What was logged as an error by programs that are gone. */
  readonly errors: string[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly random: Random,
    private readonly killsMax: number,
  ) {}

  get killsLeft(): number {
    return this.killsMax - this.kills.coordinator - this.kills.runner;
  }

  /** Goes on until it is told to stop or has killed enough; both programs are up then. */
  async run(signal: AbortSignal): Promise<void> {
    while (this.killsLeft > 0) {
      await pause(this.random.between(100, 900));
      if (signal.aborted) return;
      if (this.random.fraction() < 0.6) await this.#killCoordinator();
      else await this.#killRunner();
    }
  }

  async #killCoordinator(): Promise<void> {
    await this.#kill(this.stage.coordinator, 'coordinator');
    // Now and then it does not even get to its feet.
    if (this.killsLeft > 0 && this.random.fraction() < 0.2) {
      const stillborn = await this.stage.launchCoordinator();
      await pause(this.random.between(50, 600));
      await this.#kill(stillborn, 'coordinator');
    }
    await this.stage.startCoordinator();
  }

  async #killRunner(): Promise<void> {
    await this.#kill(this.stage.runner, 'runner');
    await this.stage.startRunner();
  }

  async #kill(program: Program, which: keyof Kills): Promise<void> {
    const { stderr } = await program.end('SIGKILL');
    this.kills[which] += 1;
    this.errors.push(...errorsIn(stderr));
    await pause(this.random.fraction() < 0.5 ? 0 : this.random.between(0, 300));
  }
}

/** Lines of the log that tell of an error; what a program prints beside its log is one. */
export function errorsIn(log: string): readonly string[] {
  return log.split('\n').filter((line) => line !== '' && !/^\{"level":[1-4]0,/.test(line));
}
