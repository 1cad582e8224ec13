// Prompts that the conformance suite asks for.
import {
  fromJsonSchema,
  type GetPromptResult,
  type McpServer,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { PNG } from './content.js';

type PromptContent = GetPromptResult['messages'][number]['content'];

const said = (...contents: readonly PromptContent[]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});
const text = (words: string): PromptContent => ({ type: 'text', text: words });

function texts<const K extends string>(...names: readonly K[]): StandardSchemaWithJSON<Record<K, string>> {
  return fromJsonSchema({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: [...names],
  });
}

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A text' }, () =>
    said(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Both arguments', argsSchema: texts('arg1', 'arg2') },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: texts('resourceUri') },
    ({ resourceUri: uri }) =>
      said(
        {
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'An image' }, () =>
    said({ type: 'image', data: PNG, mimeType: 'image/png' }, text('Please analyze the image above.')),
  );
}
