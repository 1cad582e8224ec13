// Wire contract of named agents, and of what a run's runner gets of one.
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

/** A named agent. Commands, arguments, headers and variables stay in its file: they may hold secrets. */
export const AgentView = Type.Object(agent);
export type AgentView = Static<typeof AgentView>;

export const AgentDetail = Type.Object({ ...agent, system_prompt: Nullable(Text) });
export type AgentDetail = Static<typeof AgentDetail>;

/** An MCP server that an agent gets beside Countersign's own. */
export const McpServer = Type.Union([
  Type.Object({
    type: Type.Literal('stdio'),
    command: Text,
    args: Type.Optional(Texts),
    env: Type.Optional(Type.Record(Text, Text)),
  }),
  Type.Object({ type: Type.Literal('http'), url: Text, headers: Type.Optional(Type.Record(Text, Text)) }),
]);

/** What a runner gets of the agent that a run is for. Placeholders are not filled in yet. */
export const AgentOfRun = Type.Object({
  name: Text,
  /** Why the agent cannot be run: its file is gone or broken. */
  fault: Nullable(Text),
  command: Nullable(Text),
  args: Texts,
  model: Nullable(Text),
  system_prompt: Nullable(Text),
  mcp_servers: Type.Record(Text, McpServer),
  /** Variables of the runner's environment that placeholders may name. */
  environment: Texts,
});
export type AgentOfRun = Static<typeof AgentOfRun>;
