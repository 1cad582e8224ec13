// The names of the supported agent CLIs. They stand apart from the definitions, so that the wire contract and the
// client for programs need only these.

/** In the order in which help and messages list them. */
export const AGENT_CLIENT_NAMES = ['claude-code', 'codex', 'gemini', 'opencode'] as const;

/** The name of a client in commands and paths. */
export type AgentClientName = (typeof AGENT_CLIENT_NAMES)[number];
