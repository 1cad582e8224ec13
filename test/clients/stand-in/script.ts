// What a stand-in for a model's API is told to do: a script that sees what a model would see, and says what it would.

/** What the client sent, as far as scripts go by it. */
export interface Heard {
  /** The user's last message. */
  readonly prompt: string;
  /** How often the model has spoken since. */
  readonly turn: number;
  /** The last tool's answer since; empty where there was none. */
  readonly answer: string;
  /** Names of the tools of the state that the client offers, without what it puts before them. */
  readonly tools: readonly string[];
  /** Names of the tools that the client offers, as it calls them; of Codex, of the servers that have some. */
  readonly offered: readonly string[];
  readonly system: string;
}

export interface Said {
  readonly say?: string;
  /** A tool of the state, or one of the client's own by its full name. */
  readonly call?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
}

/** The API refuses, with a status and words of its own. */
export interface Refused {
  readonly status: number;
  readonly error: string;
  readonly message: string;
}

export type Turn = Said | Refused;
export type Script = (heard: Heard) => Turn;

export function isFailure(turn: Turn): turn is Refused {
  return 'status' in turn;
}

/** The same turns after every prompt; the last goes on for ever. */
export function turns(...list: readonly Turn[]): Script {
  return ({ turn }) => list[Math.min(turn, list.length - 1)] ?? { say: 'Done.' };
}

/** What a client puts before the name of a tool of the state: in a run, and with the entry that people make by hand. */
export interface Prefixes {
  readonly run: string;
  readonly byHand: string;
}

/** @returns The names of the tools of the state among those that are offered, without what stands before them. */
export function ownTools(offered: readonly string[], { run, byHand }: Prefixes): string[] {
  const names = offered.flatMap((name) => {
    const prefix = [run, byHand].find((one) => name.startsWith(one));
    return prefix === undefined ? [] : [name.slice(prefix.length)];
  });
  return [...new Set(names)];
}

const OF_STATE = /^(state|wait|start|resume|stop|get|list)_/;

/** @returns A tool of the state as the client calls it: that of the run where it is offered, or where none is. */
export function toolName(tool: string, offered: readonly string[], { run, byHand }: Prefixes): string {
  if (!OF_STATE.test(tool)) return tool;
  return offered.includes(byHand + tool) && !offered.includes(run + tool) ? byHand + tool : run + tool;
}
