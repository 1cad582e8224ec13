// An agent of the demonstration, as the runner starts it: one process for each run. Which one it is says its environment.
import { CHILDREN, ROOT } from '../cast.js';
import { playChild } from './child.js';
import { readContext } from './context.js';
import { playRoot } from './root.js';

const name = process.env['COUNTERSIGN_AGENT_NAME'];
const role = CHILDREN.find((one) => one.name === name);

try {
  if (name === ROOT) await playRoot(await readContext());
  else if (role !== undefined) await playChild(await readContext(), role);
  else throw new Error(`There is no agent ${name ?? '(COUNTERSIGN_AGENT_NAME is not set)'}.`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
