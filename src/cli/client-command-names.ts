// The commands that need only a client of the service, or nothing of it.
import { HOOKS } from '../domain/hooks/clients.js';

/** First words of their command lines. */
const CLIENT_COMMAND_NAMES = [
  'ready',
  'connect',
  'disconnect',
  'state',
  'workflow',
  'session',
  'agent',
  'run',
  'callback',
  'webhook',
  'hook',
  'runners',
  'overview',
  'activity',
  'whoami',
] as const;

export type ClientCommandName = (typeof CLIENT_COMMAND_NAMES)[number];

export function isClientCommandName(word: string | undefined): word is ClientCommandName {
  return CLIENT_COMMAND_NAMES.some((name) => name === word);
}

const HOOK_COMMAND_NAMES = [...HOOKS, 'wake', 'awaited'] as const;

/** Whether a command line runs a hook. The other commands of the group `hook` set hooks up. */
export function isHookCommand([group, name]: readonly string[]): boolean {
  return group === 'hook' && HOOK_COMMAND_NAMES.some((one) => one === name);
}

/** The commands of the group `hook` that people run. */
const SETUP_COMMAND_NAMES = ['install', 'uninstall', 'help'] as const;

/** Whether a client may run a command line as a hook. It may also be misspelt, or name no hook at all. */
export function isForHooks([group, name]: readonly string[]): boolean {
  return group === 'hook' && !SETUP_COMMAND_NAMES.some((one) => one === name);
}
