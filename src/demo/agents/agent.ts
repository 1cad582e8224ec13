// An agent of the demonstration, as the runner starts it: one process for each run. Its environment names it.
import { text } from 'node:stream/consumers';
import { createClient } from '../../client/index.js';
import { CHILDREN, ROOT } from '../children.js';
import type { AgentContext } from './agent-context.js';
import { playChild } from './child.js';
import { playRoot } from './root.js';
import { messageOf } from '../../domain/text.js';

async function readContext(): Promise<AgentContext> {
  return {
    service: createClient({ url: variable('COUNTERSIGN_URL'), token: variable('COUNTERSIGN_TOKEN') }),
    stateId: process.env['WORKFLOW_STATE_ID'] ?? null,
    purpose: variable('COUNTERSIGN_RUN_PURPOSE'),
    prompt: await text(process.stdin),
    folder: process.cwd(),
    print: (line) => void process.stdout.write(`${line}\n`),
  };
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: agents are started by a runner`);
  return value;
}

const name = process.env['COUNTERSIGN_AGENT_NAME'];
const child = CHILDREN.find((one) => one.name === name);

try {
  if (name === ROOT) await playRoot(await readContext());
  else if (child !== undefined) await playChild(await readContext(), child);
  else throw new Error(`There is no agent ${name ?? '(COUNTERSIGN_AGENT_NAME is not set)'}.`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
