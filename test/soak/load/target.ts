// The service under attack: started as a process of its own, asked, and watched from inside and outside.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { freePort } from '../../support/free-port.js';
import { Program } from '../../support/program.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: any;
  readonly bytes: number;
}

/** What was seen of the service while an attack ran. */
export interface Seen {
  /** The longest wait for `/healthz`, milliseconds. */
  readonly healthzMs: number;
  /** The longest time that the event loop stood. */
  readonly stoodMs: number;
  /** The same in time on the processor: what is left when the machine is shared with others. */
  readonly workMs: number;
  readonly residentBytes: number;
  /** How many answers there were of each status. */
  readonly statuses: ReadonlyMap<number, number>;
}

export class Target {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1500 });
  readonly sockets: Socket[] = [];
  #statuses = new Map<number, number>();

  private constructor(
    readonly port: number,
    private readonly program: Program,
    private readonly folder: string,
    private readonly prober: Worker,
  ) {}

  static async start(args: readonly string[] = []): Promise<Target> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-load-'));
    const port = await freePort();
    const watch = new URL('./loop-watch.mjs', import.meta.url).href;
    const program = await Program.start(
      ['serve', '--port', String(port), '--db', join(folder, 'load.db'), '--log-level', 'warn', ...args],
      {
        env: {
          NODE_OPTIONS: `--import=${watch} ${process.env['LOAD_NODE_OPTIONS'] ?? ''}`,
          LOAD_WATCH_FILE: join(folder, 'watch'),
        },
      },
    );
    await program.printed(/http:\/\//);
    const prober = new Worker(new URL('./prober.mjs', import.meta.url), {
      workerData: { port },
      execArgv: [],
    });
    return new Target(port, program, folder, prober);
  }

  get log(): string {
    return this.program.log;
  }

  /** Sends one request; `body` that is a text or bytes goes as it is. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    options: { readonly timeoutMs?: number } = {},
  ): Promise<Answer> {
    const bytes =
      body === undefined
        ? null
        : typeof body === 'string' || Buffer.isBuffer(body)
          ? Buffer.from(body)
          : Buffer.from(JSON.stringify(body));
    const own =
      bytes === null ? {} : { 'content-type': 'application/json', 'content-length': String(bytes.length) };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          agent: this.#agent,
          method,
          path,
          headers: { ...own, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const status = response.statusCode ?? 0;
            this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
            const came = Buffer.concat(chunks);
            const json = String(response.headers['content-type']).includes('json');
            resolve({
              status,
              headers: response.headers,
              body: json && came.length > 0 ? JSON.parse(came.toString()) : came.toString(),
              bytes: came.length,
            });
          });
        },
      );
      sent.on('error', reject);
      if (options.timeoutMs !== undefined) sent.setTimeout(options.timeoutMs, () => sent.destroy());
      sent.end(bytes);
    });
  }

  /** The same, for what has to succeed. */
  async must(...args: Parameters<Target['call']>): Promise<any> {
    const answer = await this.call(...args);
    if (answer.status >= 300) {
      throw new Error(
        `${args[0]} ${args[1]}: ${String(answer.status)} ${JSON.stringify(answer.body).slice(0, 500)}`,
      );
    }
    return answer.body;
  }

  /** A connection of its own; what is to be written goes raw. Closed when the target is. */
  raw(text: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.write(text);
        resolve(socket);
      });
      socket.on('error', reject);
      this.sockets.push(socket);
    });
  }

  hangUp(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }

  /** What is seen from now until `attack` is over, and a little longer. */
  async during(attack: () => Promise<unknown>): Promise<Seen> {
    await this.#longest();
    const from = Date.now();
    this.#statuses = new Map();
    await attack();
    await new Promise((resolve) => setTimeout(resolve, 400));
    const healthzMs = await this.#longest();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const notes = readFileSync(join(this.folder, 'watch'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .filter(([at = 0]) => at >= from);
    const most = (column: number) => Math.max(0, ...notes.map((note) => note[column] ?? 0));
    return { healthzMs, stoodMs: most(1), workMs: most(2), residentBytes: most(3), statuses: this.#statuses };
  }

  async end(): Promise<void> {
    this.hangUp();
    await this.prober.terminate();
    this.#agent.destroy();
    await this.program.end(process.env['LOAD_NODE_OPTIONS'] === undefined ? 'SIGKILL' : 'SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #longest(): Promise<number> {
    return new Promise((resolve) => {
      this.prober.once('message', resolve);
      this.prober.postMessage('longest');
    });
  }
}
