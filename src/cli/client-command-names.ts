// The commands that need only a client of the service, or nothing of it.

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
