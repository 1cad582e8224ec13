// One MCP server for one caller, on the official SDK: the tools, and the states as resources. Created for every
// request over HTTP and once per connection on stdio; holds no state.
import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type CallToolResult,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { TSchema } from 'typebox';
import { damagedFailure, RecordDamagedError, type Damage } from '../domain/damage/damage.js';
import type { Failed, Failure, Result } from '../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json/json.js';
import { isDeeperThan } from '../domain/json/scan.js';
import { clientSessionOfMeta, type ClientSession } from '../agent-clients/conversations.js';
import type { Limits } from '../domain/limits.js';
import { isIdOrName } from '../domain/names.js';
import type { Logger } from '../ports/runtime.js';
import type { StateSummary } from '../ports/api/index.js';
import type { Waiting } from '../ports/mcp-transport.js';
import type { Countersign } from '../ports/service.js';
import { withSignal } from '../lib/signals.js';
import type { TimeSlices } from '../lib/time-slices.js';
import { threadFailure } from '../ports/schema-engine.js';
import { storageFailure } from '../ports/storage/storage.js';
import { progressOf } from './progress.js';
import { failureText, unreachableText } from './failures/failure-text.js';
import { keyedCall, toolCallIdOf, type KeyedCall } from './tool-call-id.js';
import type { ToolOutput, McpCaller, Tool } from './tool.js';
import { TOOLS } from './tools/index.js';

const STATES_LISTED_MAX = 100;
const SCHEME = 'countersign://states/';

const INSTRUCTIONS =
  'Countersign: the workflow state that a tree of agent sessions shares, bound to a JSON Schema. Read before you write (state_read), write only your part (state_patch, state_set), and end your turn when the write was accepted. A refusal says in its second line what to call next.';

export interface McpServerOptions {
  readonly service: Countersign;
  readonly caller: McpCaller;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly version: string;
  /** True if this transport can notify subscribers of changed states. */
  readonly subscribe: boolean;
  /** Tool calls of many clients that arrive together run one after the other here. Absent: there is one client. */
  readonly slices?: TimeSlices | undefined;
  /** The message that this server is for. Absent: it is for all messages of a connection. */
  readonly message?: JsonValue | undefined;
  /** Executes a call that the client may repeat, so that it takes effect once. */
  readonly once: OncePerKey;
  /** @see Host.damagedRecord */
  readonly damagedRecord?: ((damage: Damage) => Failed) | undefined;
  /** Absent: waits end with their call. */
  readonly waiting?: Waiting | undefined;
  /**
   * Returns the identity of the session that is bound to a conversation of an agent CLI; `null` if none is bound. For
   * calls without an identity. `null` as the conversation means the caller's own.
   */
  readonly asConversation?: ((conversation: ClientSession | null) => Promise<Identified | null>) | undefined;
}

/** The options that depend on the caller. */
export type Identified = Pick<McpServerOptions, 'service' | 'caller' | 'once'>;

/**
 * @param signal - Aborts when the caller gives up.
 * @see Host.once
 */
export type OncePerKey = (
  request: KeyedCall,
  work: (service: Countersign) => Promise<Result<ToolOutput>>,
  signal: AbortSignal,
) => Promise<Result<ToolOutput>>;

/** The resource URI of a state. */
export function stateUri(stateId: string): string {
  return SCHEME + encodeURIComponent(stateId);
}

/** The state id in a URI; `null` for other URIs. */
export function stateIdOf(uri: string): string | null {
  const id = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : '';
  return isIdOrName(id) ? id : null;
}

/** Creates a server that acts as one caller. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { version, subscribe } = options;
  const server = new McpServer(
    { name: 'countersign', title: 'Countersign', version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false, subscribe } },
    },
  );
  for (const tool of toolsFor(options.message)) {
    const { name, description, annotations } = tool;
    server.registerTool(
      name,
      {
        description,
        annotations,
        inputSchema: described(tool.input),
        outputSchema: described(tool.output),
      },
      async (args, { mcpReq }) => callTool(tool, args, await identified(options, mcpReq), mcpReq),
    );
  }
  if (!isToolCall(options.message)) registerStates(server, options);
  return server;
}

function isToolCall(message: JsonValue | undefined): message is JsonObject {
  return isJsonObject(message) && message['method'] === 'tools/call';
}

/** A call needs no other tool, and no resource. Registering all of them takes most of the time of a call. */
function toolsFor(message: JsonValue | undefined): readonly Tool[] {
  if (!isToolCall(message)) return TOOLS;
  const { params } = message;
  const called = TOOLS.find(({ name }) => isJsonObject(params) && params['name'] === name);
  return called === undefined ? TOOLS : [called];
}

/**
 * Passes a schema to the SDK for listings only. The tool validates the arguments itself, with more precise
 * failures.
 */
function described(schema: TSchema): StandardSchemaWithJSON {
  const json = () => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'countersign',
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}

/** A call without an identity comes from the session that is bound to its conversation. */
async function identified(
  options: McpServerOptions,
  { _meta: meta }: Pick<ServerContext['mcpReq'], '_meta'>,
): Promise<McpServerOptions> {
  const { caller, asConversation, logger } = options;
  if (caller.session !== null || asConversation === undefined) return options;
  try {
    return { ...options, ...(await asConversation(clientSessionOfMeta(meta))) };
  } catch (error) {
    // The tool will fail for the same reason, and report it.
    logger.warn({ err: error }, 'the session of a conversation could not be looked up');
    return options;
  }
}

async function callTool(
  tool: Tool,
  args: unknown,
  {
    service,
    caller,
    limits,
    logger,
    once,
    slices,
    damagedRecord = damagedFailure,
    ...options
  }: McpServerOptions,
  { signal, _meta: meta, notify }: Pick<ServerContext['mcpReq'], 'signal' | '_meta' | 'notify'>,
): Promise<CallToolResult> {
  if (isDeeperThan(args, limits.jsonDepthMax)) return failedResult(tool, tooDeep(limits.jsonDepthMax));
  const progress = progressOf({ _meta: meta, notify }, limits.mcpProgressMs, logger);
  const call = { service, caller, limits, waiting: waitingOf(options, signal), progress };
  const run = (as: Countersign) => tool.run(args, { ...call, service: as });
  const toolCallId = tool.annotations.readOnlyHint === true ? null : toolCallIdOf(meta);
  try {
    const pause = slices?.yieldIfDue();
    if (pause !== undefined) await pause;
    const done = await (toolCallId === null
      ? run(service)
      : once(keyedCall(toolCallId, tool.name, args), run, signal));
    const result = done.ok && tool.wait !== undefined ? await tool.wait(args, done.value, call) : done;
    if (logger.verbose) {
      const { session } = caller;
      logger.debug(
        { tool: tool.name, session, tool_call_id: toolCallIdOf(meta), ok: result.ok },
        'tool call',
      );
    }
    if (!result.ok) return failedResult(tool, result.failure);
    const { value } = result;
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } };
  } catch (error) {
    if (error instanceof RecordDamagedError) {
      return failedResult(tool, damagedRecord(error.damage).failure);
    }
    const lost = isLostConnection(error);
    const facts = { tool: tool.name, ...(lost ? { reason: error.message } : { err: error }) };
    if (lost && signal.aborted) logger.debug(facts, 'the client gave up the call');
    else if (lost) logger.warn(facts, 'the coordinator did not answer');
    else logger.error(facts, 'tool failed');
    if (lost) return failed(unreachableText(tool, error));
    const failure = storageFailure(error) ?? threadFailure(error);
    if (failure !== null) return failedResult(tool, failure);
    return failedResult(tool, { error: 'internal', detail: 'The service failed.', members: {} });
  }
}

/** Waits end with their call, too. */
function waitingOf({ waiting }: Pick<McpServerOptions, 'waiting'>, signal: AbortSignal): Waiting {
  if (waiting === undefined) return (work) => work(signal);
  return (work) => waiting((ending) => withSignal([ending, signal], work));
}

function tooDeep(maximum: number): Failure {
  return {
    error: 'limit_exceeded',
    detail: `The arguments are nested deeper than ${String(maximum)} levels.`,
    members: { limit: 'jsonDepthMax', maximum },
  };
}

function failedResult(tool: Tool, failure: Failure): CallToolResult {
  return failed(failureText(tool, failure));
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** The client gets the message of a lost connection, but not the message of a bug. */
function isLostConnection(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConnectionError';
}

function registerStates(server: McpServer, options: McpServerOptions): void {
  const { service } = options;
  const template = new ResourceTemplate(`${SCHEME}{state_id}`, {
    list: async () => ({
      resources: (await listedStates(options)).map((state) => ({
        uri: stateUri(state.state_id),
        name: state.state_id,
        title: `State of ${state.root_session_name}`,
        description: `${state.schema_name} ${String(state.schema_version)}, version ${String(state.version)}`,
      })),
    }),
  });
  server.registerResource(
    'workflow-state',
    template,
    { title: 'Workflow state', description: 'The document of a state', mimeType: 'application/json' },
    async (uri) => {
      const stateId = stateIdOf(uri.href);
      const read = stateId === null ? null : await service.states.get(stateId);
      if (read?.ok !== true) throw new ResourceNotFoundError(uri.href, read?.failure.detail);
      return {
        contents: [
          { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(read.value.current_data) },
        ],
      };
    },
  );
}

/**
 * The states to list; none if they cannot be listed. Some clients (Gemini CLI) list resources when they connect, which may
 * be before their session exists, and drop all tools of a server whose list fails.
 */
async function listedStates({ service, logger }: McpServerOptions): Promise<readonly StateSummary[]> {
  try {
    const listed = await service.states.list({ limit: STATES_LISTED_MAX, order: 'changed' });
    if (listed.ok) return listed.value.items;
    logger.warn({ ...listed.failure }, 'the resources could not be listed');
  } catch (error) {
    logger.warn({ err: error }, 'the resources could not be listed');
  }
  return [];
}
