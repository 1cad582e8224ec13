// What an agent of a test has at hand. Runs in the agent's own process, copied into the test's folder: it may import
// nothing but what Node brings along.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

export interface Agent {
  /** Name of its session. */
  readonly name: string;
  readonly purpose: 'work' | 'state_update' | 'callback';
  readonly runId: string;
  readonly prompt: string;
  /** Makes a call as this session, again and again while the coordinator or its database is away. */
  call(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  /** The same, for a call that has to succeed. */
  must(method: string, path: string, body?: unknown, contentType?: string): Promise<any>;
  /** Adds a value to the tree's state. */
  add(path: string, value: unknown): Promise<Answer>;
  /** Leaves a fact for the test, on disk before this returns. */
  note(fact: object): void;
  say(text: string): void;
  sleep(ms: number): Promise<void>;
  /** Starts a process of its own that does nothing for a long time. @returns Its id. */
  spawnSleeper(): number | undefined;
  /** True where the test has put a file of this name into the agents' working directory. */
  isGiven(file: string): boolean;
  /** Notes that it was told to end, and ends. */
  heedSigterm(): void;
}

const here = fileURLToPath(import.meta.url);
const notesDir = join(dirname(here), 'notes');
const env = (name: string) => process.env[name] ?? '';
const AWAY_MS_MAX = 60_000;

// The test is over when its folder is gone, and so is whoever is still at work for it.
setInterval(() => {
  if (!existsSync(here)) process.exit(75);
}, 200).unref();

async function call(
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<Answer> {
  const deadline = performance.now() + AWAY_MS_MAX;
  for (;;) {
    try {
      const response = await fetch(env('COUNTERSIGN_URL') + path, {
        method,
        headers: {
          authorization: `Bearer ${env('COUNTERSIGN_TOKEN')}`,
          ...(body === undefined ? {} : { 'content-type': contentType }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (isPassing(response) && performance.now() < deadline) {
        await sleep(50);
        continue;
      }
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** The database cannot be reached at the moment. */
function isPassing(response: Response): boolean {
  return response.status === 503 && response.headers.has('retry-after');
}

async function must(method: string, path: string, body?: unknown, contentType?: string): Promise<any> {
  const answer = await call(method, path, body, contentType);
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${path}: ${String(answer.status)} ${JSON.stringify(answer.body)}`);
}

async function stateId(): Promise<string> {
  const inherited = env('WORKFLOW_STATE_ID');
  if (inherited !== '') return inherited;
  return (await must('GET', `/sessions/${env('AGENT_SESSION_ID')}`)).workflow_state_id;
}

async function add(path: string, value: unknown): Promise<Answer> {
  const operations = [{ op: 'add', path, value }];
  return call('PATCH', `/workflow-states/${await stateId()}`, operations, 'application/json-patch+json');
}

function note(fact: object): void {
  const about = { session: agent.name, purpose: agent.purpose, run: agent.runId };
  mkdirSync(notesDir, { recursive: true });
  const file = openSync(join(notesDir, `${String(process.pid)}-${agent.runId}.jsonl`), 'a');
  writeSync(file, `${JSON.stringify({ ...about, at: Date.now(), ...fact })}\n`);
  fsyncSync(file);
  closeSync(file);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const agent: Agent = {
  name: env('AGENT_SESSION_NAME'),
  purpose: env('COUNTERSIGN_RUN_PURPOSE') as Agent['purpose'],
  runId: env('COUNTERSIGN_RUN_ID'),
  prompt: readFileSync(0, 'utf8'),
  call,
  must,
  add,
  note,
  say: (text) => void process.stdout.write(`${text}\n`),
  sleep,
  spawnSleeper: () => spawn('sleep', ['60']).pid,
  isGiven: (file) => existsSync(file),
  heedSigterm: () =>
    void process.on('SIGTERM', () => {
      note({ ended: 'SIGTERM' });
      process.exit();
    }),
};
