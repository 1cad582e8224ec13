// A coordinator and a runner as processes of their own, on a database of their own.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  createClient,
  type ClientOptions,
  type CountersignService,
  type Result,
} from '../../src/client/index.js';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import { Agents } from './agents.js';
import { freePort } from './free-port.js';
import { Program, runProgram, type Ended, type ProgramOptions } from './program.js';

export interface StageOptions {
  /** Further flags of `serve`. */
  readonly serve?: readonly string[];
  /** The database; by default one of its own on the store of the tests. */
  readonly db?: string;
  /** Further variables of each coordinator. */
  readonly env?: ProgramOptions['env'];
  /** Further flags of `runner`; `null` for none. */
  readonly runner?: readonly string[] | null;
}

const CONCURRENT = '16';

export class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
  readonly db: string;
  readonly agents: Agents;
  readonly operator: CountersignService;
  readonly url: string;
  readonly #programs: Program[] = [];
  #coordinator: Program | null = null;
  #runner: Program | null = null;

  private constructor(
    readonly port: number,
    private readonly options: StageOptions,
  ) {
    this.db = options.db ?? join(this.dir, 'countersign.db');
    const folder = join(this.dir, 'agents');
    mkdirSync(folder);
    this.agents = new Agents(folder);
    this.url = `http://127.0.0.1:${String(port)}`;
    this.operator = this.client();
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const onPostgres = options.db === undefined && process.env['COUNTERSIGN_TEST_STORE'] === 'postgres';
    const stage = new Stage(
      await freePort(),
      onPostgres ? { ...options, db: await databaseOfTest() } : options,
    );
    await stage.startCoordinator();
    if (options.runner !== null) await stage.startRunner();
    return stage;
  }

  get coordinator(): Program {
    if (this.#coordinator === null) throw new Error('there is no coordinator');
    return this.#coordinator;
  }

  get runner(): Program {
    if (this.#runner === null) throw new Error('there is no runner');
    return this.#runner;
  }

  client(options: Omit<ClientOptions, 'url'> = {}): CountersignService {
    return createClient({ retry: false, ...options, url: this.url });
  }

  as(sessionName: string): CountersignService {
    return this.client({ sessionName });
  }

  /** Starts a coordinator and waits until it is ready. */
  async startCoordinator(flags: readonly string[] = [], options: ProgramOptions = {}): Promise<Program> {
    const coordinator = await this.launchCoordinator(flags, options);
    await coordinator.printed(/ready at/);
    return coordinator;
  }

  async launchCoordinator(flags: readonly string[] = [], options: ProgramOptions = {}): Promise<Program> {
    const own = ['--port', String(this.port), '--db', this.db, '--log-level', 'warn'];
    const args = ['serve', ...own, ...(this.options.serve ?? []), ...flags];
    const { env } = this.options;
    this.#coordinator = await this.#start(args, env === undefined ? options : { env, ...options });
    return this.#coordinator;
  }

  async startRunner(flags: readonly string[] = []): Promise<Program> {
    const own = ['--url', this.url, '--exec', this.agents.exec, '--concurrent', CONCURRENT];
    const place = ['--project-dir', this.dir, '--log-level', 'warn'];
    this.#runner = await this.#start(['runner', ...own, ...place, ...(this.options.runner ?? []), ...flags]);
    await this.#runner.printed(/is ready for/);
    return this.#runner;
  }

  /** Edits the database behind the back of the service. @returns The number of rows. */
  async edit(statement: string): Promise<number> {
    if (this.db.startsWith('postgres:')) {
      const { execute } = await import('./postgres.js');
      return (await execute(this.db, statement)).rowCount ?? 0;
    }
    const db = keepStatements(new Database(this.db));
    try {
      return db.prepare(statement).run().changes;
    } finally {
      db.close();
    }
  }

  /** Runs a command of the command line to its end. */
  command(...args: readonly string[]): Promise<Ended> {
    return runProgram(args, { env: { COUNTERSIGN_URL: this.url, COUNTERSIGN_DB: this.db } });
  }

  /**
   * Agents that are still at work end when they find their kit gone.
   *
   * @param keep - Leaves the rest for a look at it.
   */
  async close(keep = false): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')));
    rmSync(keep ? this.agents.kit : this.dir, { recursive: true, force: true });
  }

  async #start(args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
    const program = await Program.start(args, options);
    this.#programs.push(program);
    return program;
  }
}

async function databaseOfTest(): Promise<string> {
  // Loads what exists in a test only: a stage is used without tests, too.
  const { newMigratedDatabase } = await import('./postgres.js');
  return newMigratedDatabase();
}

/** The value of a call that has to succeed. */
export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { error, detail, members } = result.failure;
  throw new Error(`${error}: ${detail} ${JSON.stringify(members)}`);
}
