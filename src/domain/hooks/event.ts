// What the rules read from a hook's input. The parsing of the input is in agent-clients/hooks.
import type { HookClient } from './clients.js';

interface Common {
  readonly client: HookClient;
  /** The client's own id of the session. */
  readonly clientSessionId: string;
}

export interface SessionStartEvent extends Common {
  readonly hook: 'session-start';
  /** The client's working directory. */
  readonly cwd: string | null;
  /** The client compacted its context in the middle of its work. */
  readonly compacted: boolean;
}

export interface StopEvent extends Common {
  readonly hook: 'stop';
  /** The turn already continues because of a refused stop. */
  readonly repeated: boolean;
  /** Number of background tasks that will wake the session again. */
  readonly openTasks: number;
  /** The agent's last message. */
  readonly lastMessage: string | null;
}

export interface SubagentStopEvent extends Common {
  readonly hook: 'subagent-stop';
  readonly repeated: boolean;
  readonly agentId: string;
  readonly agentType: string;
  readonly lastMessage: string | null;
}

export interface PreToolUseEvent extends Common {
  readonly hook: 'pre-tool-use';
  readonly tool: string;
  /** The command line, of a tool that runs one. */
  readonly command: string | null;
}

export interface SessionEndEvent extends Common {
  readonly hook: 'session-end';
  /** The reason, in the client's words. */
  readonly reason: string | null;
  /** Another conversation begins in the same window. */
  readonly goesOn: boolean;
}

export type HookEvent = SessionStartEvent | StopEvent | SubagentStopEvent | PreToolUseEvent | SessionEndEvent;

/** Maximum length of a client's own id of a session or sub-agent. */
export const CLIENT_SESSION_ID_CHARACTERS_MAX = 512;
