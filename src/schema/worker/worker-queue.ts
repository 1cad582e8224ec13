// A queue of jobs for one worker thread. A job that exceeds its deadline ends only the thread: jobs are
// handed over one at a time, so waiting jobs go to the next thread.
import { Worker } from 'node:worker_threads';
import { NoThreadError } from '../../ports/schema-engine.js';
import { WORKER_ENTRY } from './worker-entry.js';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './worker-protocol.js';

/** Heap limit of a thread. A job that needs more fails like one that takes too long. */
const HEAP_MB_MAX = 256;
/** How long an idle thread is kept. */
const IDLE_MS_MAX = 10_000;
const START_MS_MAX = 30_000;
/** How much longer than its deadline a phase may take while it gets no processor. */
const STARVED_MS_MAX = 30_000;
const LOOK_AGAIN_MS = 10;

/** Processor time of the process, all threads together, milliseconds. */
function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function newThread(setup: WorkerSetup): Worker {
  return new Worker(WORKER_ENTRY, {
    workerData: setup,
    // The worker gets neither the flags nor the environment of the process (inspector, loaders, secrets).
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
}

function noThread(cause: unknown): NoThreadError {
  return new NoThreadError('The system gives no thread for work on schemas and documents', { cause });
}

/** The result of a job: the worker's answer, or why there is none. */
export type WorkerAnswer =
  | Exclude<WorkerReply, { kind: 'started' | 'phase' }>
  | { readonly kind: 'deadline' }
  | { readonly kind: 'out_of_memory' };

interface Job {
  /** Creates the request when the job starts. `thread` identifies the thread that gets it. */
  readonly request: (thread: object) => WorkerRequest;
  /** The deadline of each phase, in milliseconds. The last one also applies to all later phases. */
  readonly deadlinesMs: readonly number[];
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: unknown) => void;
  phase: number;
}

/** A queue in front of one thread. The thread starts with the first job and is replaced after it had to be ended. */
export class WorkerQueue {
  readonly #setup: WorkerSetup;
  readonly #waiting: Job[] = [];
  #current: Job | null = null;
  #worker: Worker | null = null;
  #started = false;
  #timer: NodeJS.Timeout | null = null;
  /** Of the present phase. */
  #deadline = { ms: 0, cpuMsAtStart: 0, endsAt: 0 };
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    setup: WorkerSetup,
    private readonly cpuMs: () => number = processCpuMs,
    private readonly newWorker: (setup: WorkerSetup) => Worker = newThread,
  ) {
    this.#setup = setup;
  }

  /** Number of running and waiting jobs. */
  get load(): number {
    return this.#waiting.length + (this.#current === null ? 0 : 1);
  }

  /**
   * Queues a job.
   *
   * @param request - Called when the job starts, with an object that identifies the thread.
   * @param deadlinesMs - The deadline of each phase, counted from its start. Waiting time does not count, and neither does
   * time in which the process as a whole got no processor: on a busy or suspended machine.
   * @throws NoThreadError - The system gives no thread. Later jobs try again.
   */
  run(request: Job['request'], deadlinesMs: readonly number[]): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new Error('the schema engine is closed'));
        return;
      }
      this.#waiting.push({ request, deadlinesMs, resolve, reject, phase: 0 });
      this.#next();
    });
  }

  /** Ends the thread. Unfinished jobs fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const jobs = [...(this.#current === null ? [] : [this.#current]), ...this.#waiting.splice(0)];
    this.#current = null;
    clearTimeout(this.#idle);
    const worker = this.#drop();
    for (const job of jobs) job.reject(new Error('the schema engine was closed'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current !== null) return;
    const job = this.#waiting.shift() ?? null;
    this.#current = job;
    if (job === null) {
      // An idle thread does not keep the process alive, and is ended after a while to free its memory.
      this.#worker?.unref();
      this.#rest();
      return;
    }
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      this.#abandon(job, noThread(error));
      return;
    }
    this.#worker.ref();
    if (this.#started) this.#hand(this.#worker, job);
  }

  /** Fails a job that could not be handed over. The next one starts later: the caller may be an event handler. */
  #abandon(job: Job, error: unknown): void {
    // The thread lacks what the request for it counts as sent, so it is replaced.
    this.#end();
    this.#current = null;
    job.reject(error);
    setImmediate(() => this.#next());
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#worker === null) return;
    this.#idle = setTimeout(() => {
      if (this.#current === null) this.#end();
    }, IDLE_MS_MAX);
    this.#idle.unref();
  }

  #start(): Worker {
    const worker = this.newWorker(this.#setup);
    worker.on('message', (reply: WorkerReply) => this.#receive(worker, reply));
    worker.on('error', (error) => this.#died(worker, error));
    worker.on('exit', () => this.#died(worker, new Error('the schema worker ended by itself')));
    this.#started = false;
    this.#begin(START_MS_MAX);
    return worker;
  }

  #hand(worker: Worker, job: Job): void {
    try {
      worker.postMessage(job.request(worker));
    } catch (error) {
      this.#abandon(job, error);
      return;
    }
    this.#begin(job.deadlinesMs[0] ?? 0);
  }

  #receive(worker: Worker, reply: WorkerReply): void {
    const job = this.#current;
    if (worker !== this.#worker || job === null) return;
    if (reply.kind === 'started') {
      this.#started = true;
      this.#hand(worker, job);
    } else if (reply.kind === 'phase') {
      job.phase += 1;
      this.#begin(job.deadlinesMs[job.phase] ?? job.deadlinesMs.at(-1) ?? 0);
    } else {
      this.#finishJob(() => job.resolve(reply));
    }
  }

  /** The thread is started, or a phase begins. */
  #begin(ms: number): void {
    this.#deadline = { ms, cpuMsAtStart: this.cpuMs(), endsAt: performance.now() + ms + STARVED_MS_MAX };
    this.#arm(ms);
  }

  /** Processor time that the phase may still use. The thread has used at most what the process has. */
  get #cpuMsLeft(): number {
    const { ms, cpuMsAtStart, endsAt } = this.#deadline;
    return performance.now() < endsAt ? ms - (this.cpuMs() - cpuMsAtStart) : 0;
  }

  #arm(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      // If the main thread itself was blocked, the answer may be in the message queue: receive it first.
      setImmediate(() => {
        if (this.#timer === timer) this.#expire();
      });
    }, ms);
    this.#timer = timer;
  }

  #expire(): void {
    const job = this.#current;
    const leftMs = this.#cpuMsLeft;
    if (leftMs > 0) {
      this.#arm(Math.max(leftMs, LOOK_AGAIN_MS));
      return;
    }
    const hasStarted = this.#started;
    this.#end();
    this.#finishJob(() => {
      if (hasStarted) job?.resolve({ kind: 'deadline' });
      else job?.reject(new Error('the schema worker did not start'));
    });
  }

  #died(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    const job = this.#current;
    this.#drop();
    if (job === null) return;
    const code = 'code' in error ? error.code : null;
    this.#finishJob(() => {
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') job.resolve({ kind: 'out_of_memory' });
      else job.reject(code === 'ERR_WORKER_INIT_FAILED' ? noThread(error) : error);
    });
  }

  #finishJob(tell: () => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#current = null;
    tell();
    this.#next();
  }

  #end(): void {
    void this.#drop()?.terminate();
  }

  #drop(): Worker | null {
    const worker = this.#worker;
    this.#worker = null;
    this.#started = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return worker;
  }
}
