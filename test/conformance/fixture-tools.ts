// Tools that the conformance suite calls: every kind of content, progress, log messages, an error, a missing capability.
import {
  fromJsonSchema,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { PNG, WAV } from './content.js';

type Content = CallToolResult['content'][number];

const nothing = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' };
export const text = (said: string): Content => ({ type: 'text', text: said });

/** A schema with all that later drafts of JSON Schema have, to be listed as it is. */
const everyKeyword = fromJsonSchema<Record<string, unknown>>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
});

/** An argument that clients repeat in the header `Mcp-Param-Region`. */
const region = { type: 'string', 'x-mcp-header': 'Region' } as const;
const mirrored = fromJsonSchema<{ region: string }>({
  type: 'object',
  properties: { region },
  required: ['region'],
});

/** Tools that only answer. */
const ANSWERS: Readonly<Record<string, readonly Content[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ],
};

/** What the SDK deprecates since 2026-07-28: revisions before have it, and are tested. */
interface Logging {
  readonly mcpReq: { readonly log: (level: 'info', data: string) => Promise<void> };
}

/** The SDK holds back what its client has not asked to be told. */
const log = ({ mcpReq }: Logging, said: string) => mcpReq.log('info', said);

/** Tools that do something before they answer. */
const DEEDS: Readonly<Record<string, (context: ServerContext) => Promise<readonly Content[]>>> = {
  test_tool_with_logging: async (context) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await log(context, said);
    }
    return [text('Logged.')];
  },
  test_logging_tool: async (context) => {
    await log(context, 'only for who asked');
    return [text('Logged.')];
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    }
    return [text('Done.')];
  },
  test_error_handling: () =>
    Promise.reject(new Error('This tool intentionally returns an error for testing')),
};

export function addTools(server: McpServer): void {
  server.registerTool(
    'test_headers',
    { description: 'Mirrors its argument', inputSchema: mirrored },
    ({ region: named }) => ({ content: [text(named)] }),
  );
  for (const [name, content] of Object.entries(ANSWERS)) {
    const config = { description: 'Answers with fixed content', inputSchema: nothing };
    server.registerTool(name, config, () => ({ content: [...content] }));
  }
  for (const [name, deed] of Object.entries(DEEDS)) {
    const config = { description: 'Does as it is called', inputSchema: nothing };
    server.registerTool(name, config, async (_, context) => ({
      content: [...(await deed(context))],
    }));
  }
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: everyKeyword },
    () => ({ content: [text('Taken.')] }),
  );
}
