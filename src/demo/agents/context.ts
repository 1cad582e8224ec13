// What an agent of the demonstration knows about itself: its environment, its standard input, and the way to the service.
import { createClient, type CountersignService } from '../../client/index.js';

export interface AgentContext {
  readonly service: CountersignService;
  readonly sessionName: string;
  /** Of the tree; `null` before there is one. */
  readonly stateId: string | null;
  /** What this run is for: `work`, `state_update` or `callback`. */
  readonly purpose: string;
  /** What the agent is told. */
  readonly prompt: string;
  /** The repository under review. */
  readonly folder: string;
  /** Prints a line; what is printed becomes the result. */
  readonly say: (line: string) => void;
}

export async function readContext(): Promise<AgentContext> {
  return {
    service: createClient({ url: variable('COUNTERSIGN_URL'), token: variable('COUNTERSIGN_TOKEN') }),
    sessionName: variable('AGENT_SESSION_NAME'),
    stateId: process.env['WORKFLOW_STATE_ID'] ?? null,
    purpose: variable('COUNTERSIGN_RUN_PURPOSE'),
    prompt: await readInput(),
    folder: process.cwd(),
    say: (line) => void process.stdout.write(`${line}\n`),
  };
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: agents are started by a runner`);
  return value;
}

async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
