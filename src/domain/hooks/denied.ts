// The denial of a tool, as the agent reads it.
import type { HookResult } from './result.js';

/** Denies a tool, also one whose name is unknown, with the reason and what to do. */
export function denied(tool: string, why: string, what: string): HookResult {
  return {
    verdict: 'deny',
    text: `Countersign denies ${tool}: ${why}. ${what} Until then only tools that read may be used.`,
  };
}
