// One coordinator of a cluster: a process with its own way to the database, and all that can happen to both.
import { createClient, type CountersignService } from '../../../src/client/index.js';
import { freePort } from '../free-port.js';
import { Program } from '../program.js';
import { openRelay, type Relay } from '../relay.js';

export interface MemberOptions {
  readonly db: string;
  /** Further flags of `serve`. */
  readonly serve: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export class Member {
  readonly url: string;
  readonly client: CountersignService;
  /** What processes that are gone wrote to their logs. */
  #log = '';
  #program: Program | null = null;

  private constructor(
    readonly port: number,
    private readonly relay: Relay,
    private readonly options: MemberOptions,
  ) {
    this.url = `http://127.0.0.1:${String(port)}`;
    this.client = createClient({ url: this.url, retry: false });
  }

  static async open(options: MemberOptions): Promise<Member> {
    const relay = await openRelay(Number(new URL(options.db).port), false);
    const member = new Member(await freePort(), relay, options);
    await member.start();
    return member;
  }

  get log(): string {
    return this.#log + (this.#program?.log ?? '');
  }

  /** Starts the process. Resolves when it is ready. */
  async start(): Promise<void> {
    const db = new URL(this.options.db);
    db.port = new URL(this.relay.url).port;
    const own = ['--port', String(this.port), '--db', db.href, '--log-level', 'warn'];
    const { env, serve } = this.options;
    this.#program = await Program.start(['serve', ...own, ...serve], { env });
    await this.#program.printed(/ready at/);
  }

  async kill(): Promise<void> {
    const ended = await this.#program?.end('SIGKILL');
    this.#log += ended?.stderr ?? '';
    this.#program = null;
  }

  /** Ends it as an operator does. @returns The exit code. */
  async end(): Promise<number | null> {
    const ended = await this.#program?.end('SIGTERM');
    this.#log += ended?.stderr ?? '';
    this.#program = null;
    return ended?.code ?? null;
  }

  /** Stops the process as a debugger does: it keeps its connections and its memory. */
  stop(): void {
    this.#program?.signal('SIGSTOP');
  }

  go(): void {
    this.#program?.signal('SIGCONT');
  }

  /** Ends its connections to the database, or, silently, passes nothing on. */
  loseDatabase(isSilent = false): void {
    if (isSilent) this.relay.hold();
    else this.relay.cut();
  }

  findDatabase(): void {
    this.relay.hold(false);
    this.relay.cut(false);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.relay.close();
  }
}
