// The official MCP client on the real program: over HTTP, in either family of revisions, and over stdio.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { builtProgram } from './built-program.js';

export type Revision = 'legacy' | 'modern';

/** What a tool answered; `text` is all that a model is sure to see. */
export interface ToolAnswer {
  readonly failed: boolean;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export class McpClient {
  private constructor(readonly client: Client) {}

  static async http(url: string, headers: Record<string, string> = {}, revision: Revision = 'modern') {
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
    return McpClient.#connect(revision, transport);
  }

  static async stdio(env: Record<string, string>, revision: Revision = 'modern') {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [await builtProgram(), 'mcp', '--log-level', 'warn'],
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    return McpClient.#connect(revision, transport);
  }

  static async #connect(revision: Revision, transport: Parameters<Client['connect']>[0]) {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: revision === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
    );
    await client.connect(transport);
    return new McpClient(client);
  }

  /** @param meta - What the client says of the call, such as its id. */
  async call(
    name: string,
    args: Record<string, unknown> = {},
    meta: Record<string, unknown> = {},
  ): Promise<ToolAnswer> {
    const { content, structuredContent, isError } = await this.client.callTool({
      name,
      arguments: args,
      _meta: meta,
    });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    return {
      failed: isError === true,
      text,
      value: (structuredContent ?? {}) as Readonly<Record<string, unknown>>,
    };
  }

  /** A call that has to succeed. */
  async must(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer['value']> {
    const { failed, text, value } = await this.call(name, args);
    if (failed) throw new Error(`${name}: ${text}`);
    return value;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
