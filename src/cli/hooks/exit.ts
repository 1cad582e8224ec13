// What a hook's exit code means to an agent CLI, which is not what it means to a script: 2 blocks what the agent wants
// to do, everything else beside 0 is a failure of the hook that the agent does not wait for.
import { HOOKS } from '../../domain/hooks/clients.js';

const FAILED = 1;
const BLOCKED = 2;
/** What `hook wake` ends with to wake a session; no failure has this code. */
export const WAKES = 99;

/**
 * The exit code of a command line, where it is a hook: a gate that fails is closed, any other hook lets the agent go.
 *
 * @param argv - Arguments, without those that name the program.
 */
export function exitForHooks(argv: readonly string[], code: number): number {
  const [group, hook] = argv;
  if (group === 'hook' && hook === 'wake' && code !== 0) return code === WAKES ? BLOCKED : FAILED;
  if (group !== 'hook' || code === 0 || !HOOKS.some((one) => one === hook)) return code;
  return hook === 'pre-tool-use' ? BLOCKED : FAILED;
}
