// What users can use in place of flags that the runner sets. The tables of these flags are with the clients.

export const CONVERSATION =
  'nothing: the runner begins the conversation of a session, and goes on with it (countersign session start, resume)';
export const OUTPUT = 'nothing: the runner reads the stream of the program';
export const SCHEMA = 'the contract of the child (--contract of countersign session start)';
export const SERVERS = 'mcp_servers of a named agent (docs/blueprints.md)';
