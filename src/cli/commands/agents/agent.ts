// `countersign agent …`: lists and shows the named agents that can execute sessions.
import type { AgentDetail } from '../../../ports/api/index.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { EXIT } from '../../text/exit-codes.js';
import type { Output } from '../../text/output.js';
import { record } from '../../text/table.js';
import { given, pageFlags, pageText } from '../page.js';

const list = clientCommand({
  usage: 'list',
  summary: 'list the named agents',
  flags: pageFlags,
  examples: ['countersign agent list'],
  run: async ({ flags, client, out }) =>
    out.show(await client.agents.list(given(flags)), (page) =>
      pageText(out, page, ['agent', 'status', 'executor', 'model', 'description'], (one) => [
        one.name,
        one.status,
        one.executor,
        one.model,
        one.errors.length === 0 ? one.description : one.errors.map(faultText).join('; '),
      ]),
    ),
});

const show = clientCommand({
  usage: 'show <agent>',
  summary: 'print a named agent, or what is wrong with its file',
  examples: ['countersign agent show reviewer'],
  notes: `Exit code ${EXIT.refused} where its file cannot be used.`,
  run: async ({ arg, client, out }) => {
    const result = await client.agents.get(arg(0));
    const code = out.show(result, (agent) => agentText(out, agent));
    return result.ok && result.value.status === 'broken' ? EXIT.refused : code;
  },
});

function agentText(out: Output, agent: AgentDetail): string {
  const { completion, demands } = agent;
  const head = record(out.style, [
    ['agent', agent.name],
    ['status', agent.status],
    ...agent.errors.map((one) => ['error', faultText(one)] as const),
    ['description', agent.description],
    ['executor', agent.executor],
    ['model', agent.model],
    ['MCP servers', agent.mcp_servers.join(', ')],
    ['hostname', demands.hostname],
    ['tags', demands.tags?.join(', ')],
    ['project dir', agent.project_dir],
    ['timeout ms', agent.timeout_ms],
    ['delivery', agent.delivery ?? undefined],
    ['mode', completion.mode],
    ['max attempts', completion.max_attempts],
    ['update timeout ms', completion.timeout_ms],
    ['update retry delay ms', completion.retry_delay_ms],
    ['contract', completion.contract?.pointer],
    ['write scope', completion.write_scope?.join(', ')],
  ]);
  const { system_prompt: prompt } = agent;
  return prompt === null ? head : `${head}\n${out.free(prompt.trimEnd())}\n`;
}

function faultText({ pointer, message }: AgentDetail['errors'][number]): string {
  return `${pointer === '' ? '(the whole file)' : pointer}: ${message}`;
}

export const agentCommands: readonly CommandSpec[] = [list, show];
