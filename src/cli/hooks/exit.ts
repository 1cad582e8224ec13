// Exit codes of hooks for agent CLIs, which differ from those for scripts: 2 blocks the agent's action, every
// other code except 0 is a failure of the hook that the agent ignores.
import { isForHooks } from '../client-command-names.js';

const FAILED = 1;
const BLOCKED = 2;
/** Exit code of `hook wake` that wakes a session; no failure has this code. */
export const WAKES = 99;

/**
 * Maps the exit code of a hook command: a failed gate blocks, any other failed hook lets the agent continue, also if
 * there is no such hook.
 *
 * @param argv - Arguments, without those that name the program.
 */
export function exitForHooks(argv: readonly string[], code: number): number {
  if (code === 0 || !isForHooks(argv)) return code;
  const hook = argv[1];
  const blocks = hook === 'pre-tool-use' || (hook === 'wake' && code === WAKES);
  return blocks ? BLOCKED : FAILED;
}
