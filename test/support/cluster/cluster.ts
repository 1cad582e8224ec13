// Several coordinators on one PostgreSQL database, behind one address, with runners and agents.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type CountersignService } from '../../../src/client/index.js';
import { Agents } from '../agents.js';
import { Program, runProgram, type Ended } from '../program.js';
import { openBalancer, type Balancer } from './balancer.js';
import { Member } from './member.js';

export interface ClusterOptions {
  readonly db: string;
  readonly coordinators: number;
  /** Further flags of `serve`. */
  readonly serve?: readonly string[];
  /** The environment of each coordinator. */
  readonly env?: (index: number) => Readonly<Record<string, string>>;
}

export interface RunnerOptions {
  /** Further flags of `runner`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The coordinator; by default the address of all. */
  readonly url?: string;
}

/** As long as a cluster may take to recover. */
const PATIENCE = { triesMax: 1000, withinMs: 60_000, pauseMsMax: 500 };

export class Cluster {
  readonly dir = mkdtempSync(join(tmpdir(), 'countersign-cluster-'));
  readonly agents: Agents;
  readonly runners: Program[] = [];
  /** Asks all coordinators, again and again while none answers. */
  readonly operator: CountersignService;

  private constructor(
    readonly db: string,
    readonly members: readonly Member[],
    private readonly balancer: Balancer,
  ) {
    const folder = join(this.dir, 'agents');
    mkdirSync(folder);
    this.agents = new Agents(folder);
    this.operator = createClient({ url: balancer.url, retry: PATIENCE });
  }

  static async open({ db, coordinators, serve = [], env = () => ({}) }: ClusterOptions): Promise<Cluster> {
    const members: Member[] = [];
    try {
      for (let index = 0; index < coordinators; index += 1)
        members.push(await Member.open({ db, serve, env: env(index) }));
      const balancer = await openBalancer(members.map(({ port }) => port));
      return new Cluster(db, members, balancer);
    } catch (error) {
      await Promise.all(members.map((member) => member.close()));
      throw error;
    }
  }

  /** The address of all coordinators. */
  get url(): string {
    return this.balancer.url;
  }

  async startRunner({ flags = [], env = {}, url = this.url }: RunnerOptions = {}): Promise<Program> {
    const own = ['--url', url, '--exec', this.agents.exec, '--concurrent', '16'];
    const place = ['--project-dir', this.dir, '--log-level', 'warn'];
    const runner = await Program.start(['runner', ...own, ...place, ...flags], { env });
    this.runners.push(runner);
    await runner.printed(/is ready for/);
    return runner;
  }

  doctor(): Promise<Ended> {
    return runProgram(['doctor', '--db', this.db]);
  }

  /** @param keep - Leaves the notes of the agents for a look at them. */
  async close(keep = false): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.end('SIGKILL')));
    await Promise.all(this.members.map((member) => member.close()));
    await this.balancer.close();
    rmSync(keep ? this.agents.kit : this.dir, { recursive: true, force: true });
  }
}
