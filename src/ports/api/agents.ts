// Wire contract of named agents, and of the part that a runner gets with a run.
import { Type, type Static } from 'typebox';
import { Nullable, Violation } from './common.js';
import { CompletionOptions } from './sessions.js';

const Text = Type.String();
const Texts = Type.Array(Text);

const agent = {
  name: Text,
  status: Type.Enum(['ready', 'broken'], { description: 'broken: its file cannot be used, see errors' }),
  description: Nullable(Text),
  executor: Nullable(Text),
  model: Nullable(Text),
  mcp_servers: Type.Array(Text, { description: 'Names of the MCP servers that it gets' }),
  project_dir: Nullable(Text),
  timeout_ms: Nullable(Type.Integer()),
  delivery: Nullable(Type.Enum(['resume', 'pull'])),
  demands: Type.Object({ hostname: Type.Optional(Text), tags: Type.Optional(Texts) }),
  completion: CompletionOptions,
  errors: Type.Array(Violation),
};

/** A named agent. Commands, arguments, headers and variables stay in its file: they may contain secrets. */
export const AgentView = Type.Object(agent);
export type AgentView = Static<typeof AgentView>;

export const AgentDetail = Type.Object({ ...agent, system_prompt: Nullable(Text) });
export type AgentDetail = Static<typeof AgentDetail>;

/** An MCP server that an agent gets in addition to Countersign's own. */
export const McpServer = Type.Union([
  Type.Object({
    type: Type.Literal('stdio'),
    command: Text,
    args: Type.Optional(Texts),
    env: Type.Optional(Type.Record(Text, Text)),
  }),
  Type.Object({ type: Type.Literal('http'), url: Text, headers: Type.Optional(Type.Record(Text, Text)) }),
]);

/** The agent of a run, as its runner gets it. Placeholders are not yet replaced. */
export const AgentOfRun = Type.Object({
  name: Text,
  /** Why the agent cannot run: its file is missing or broken. */
  fault: Nullable(Text),
  command: Nullable(Text),
  args: Texts,
  model: Nullable(Text),
  system_prompt: Nullable(Text),
  mcp_servers: Type.Record(Text, McpServer),
  /** Names of the runner's environment variables that placeholders may use. */
  environment: Texts,
});
export type AgentOfRun = Static<typeof AgentOfRun>;
