// `countersign session …`: sessions and their completions.
import type { CompletionView, SessionTree } from '../../../ports/api/index.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { choiceFlag, switchFlag, textFlag } from '../../flag.js';
import type { Output } from '../../text/output.js';
import { record, table, time, type Cell } from '../../text/table.js';
import { given, orderedPageFlags, pageText, reasonFlags } from '../page.js';
import { create } from './session-create.js';
import { resume, start } from './session-start.js';
import { sessionText } from './session-text.js';

const STATUSES = ['pending', 'running', 'finished', 'failed', 'stopped'] as const;
const UPDATES = ['pending', 'completed', 'failed', 'skipped'] as const;

const list = clientCommand({
  usage: 'list',
  summary: 'list the sessions',
  flags: {
    status: choiceFlag('--status <status>', 'only those', STATUSES),
    root_session: textFlag('--root-session <session>', 'only those of this tree'),
    parent_session: textFlag('--parent-session <session>', 'only the children of this one'),
    state_update_status: choiceFlag('--update <status>', 'only those with this state update status', UPDATES),
    ...orderedPageFlags,
  },
  examples: ['countersign session list --status running'],
  run: async ({ flags, client, out }) =>
    out.show(await client.sessions.list(given(flags)), (page) =>
      pageText(out, page, ['session', 'name', 'status', 'update', 'parent', 'agent', 'updated'], (one) => [
        one.session_id,
        one.session_name,
        one.status,
        one.state_update_status,
        one.parent_session_name,
        one.agent_name,
        time(one.updated_at),
      ]),
    ),
});

const show = clientCommand({
  usage: 'show <session>',
  summary: 'print a session',
  examples: ['countersign session show reviewer'],
  run: async ({ arg, client, out }) =>
    out.show(await client.sessions.get(arg(0)), (session) => sessionText(out, session)),
});

const tree = clientCommand({
  usage: 'tree <session>',
  summary: 'print a session with its children, each with theirs',
  examples: ['countersign session tree orchestrator'],
  run: async ({ arg, client, out }) =>
    out.show(await client.sessions.tree(arg(0)), (root) =>
      table(['session', 'status', 'update', 'agent', 'id'], treeRows(root, '', ''), out.style),
    ),
});

const result = clientCommand({
  usage: 'result <session>',
  summary: 'print what the work of a session came to',
  examples: ['countersign session result reviewer'],
  run: async ({ arg, client, out }) =>
    out.show(await client.sessions.result(arg(0)), ({ status, result_text }) => {
      if (result_text === null) out.note(`No result yet; the session is ${status}.`);
      return result_text === null ? '' : `${out.free(result_text.trimEnd())}\n`;
    }),
});

const stop = clientCommand({
  usage: 'stop <session>',
  summary: 'stop the work of a session',
  flags: reasonFlags,
  examples: [
    'countersign session stop reviewer',
    'countersign session stop reviewer --reason "nobody needs it any more"',
  ],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.sessions.stop(arg(0), given(flags)), (session) => sessionText(out, session)),
});

const remove = clientCommand({
  usage: 'delete <session>',
  summary: 'delete a session that has no work under way',
  flags: { cascade: switchFlag('--cascade', 'a root takes its workflow state with it, in the same commit') },
  examples: ['countersign session delete reviewer', 'countersign session delete release --cascade'],
  notes:
    'Without --cascade the workflow state of a root stays: countersign state list --orphaned lists it. Children stay.',
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.sessions.remove(arg(0), flags), () => `${arg(0)} is deleted.\n`),
});

const completion = clientCommand({
  usage: 'completion <session>',
  summary: 'print how a session is being held to record its result',
  examples: ['countersign session completion reviewer'],
  run: async ({ arg, client, out }) =>
    out.show(await client.sessions.completion(arg(0)), (one) => completionText(out, one)),
});

const completions = clientCommand({
  usage: 'completions',
  summary: 'list how sessions are being held to record their results',
  flags: {
    status: choiceFlag('--status <status>', 'only those', UPDATES),
    root_session: textFlag('--root-session <session>', 'only those of this tree'),
    ...orderedPageFlags,
  },
  examples: ['countersign session completions --status pending'],
  run: async ({ flags, client, out }) =>
    out.show(await client.sessions.completions(given(flags)), (page) =>
      pageText(out, page, ['session', 'name', 'status', 'update', 'attempt', 'due', 'reason'], (one) => [
        one.session_id,
        one.session_name,
        one.session_status,
        one.state_update_status,
        `${String(one.attempt)} of ${String(one.max_attempts)}`,
        time(one.due_at ?? null),
        one.reason,
      ]),
    ),
});

const skip = clientCommand({
  usage: 'skip <session>',
  summary: 'skip the state update of a session',
  flags: reasonFlags,
  examples: ['countersign session skip reviewer --reason "recorded by hand"'],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.sessions.skip(arg(0), given(flags)), (one) => completionText(out, one)),
});

const retry = clientCommand({
  usage: 'retry <session>',
  summary: 'ask a session anew to record its result',
  flags: reasonFlags,
  examples: ['countersign session retry reviewer'],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.sessions.retry(arg(0), given(flags)), (one) => completionText(out, one)),
});

function treeRows(node: SessionTree, lead: string, childLead: string): readonly (readonly Cell[])[] {
  const { children } = node;
  return [
    [lead + node.session_name, node.status, node.state_update_status, node.agent_name, node.session_id],
    ...children.flatMap((child, at) => {
      const isLast = at === children.length - 1;
      return treeRows(child, `${childLead}${isLast ? '└─' : '├─'} `, `${childLead}${isLast ? '   ' : '│  '}`);
    }),
  ];
}

function completionText(out: Output, completion: CompletionView): string {
  const head = record(out.style, [
    ['session', completion.session_id],
    ['state update', completion.state_update_status],
    ['attempt', `${completion.attempt} of ${completion.max_attempts}`],
    ['mode', completion.mode],
    ['contract', completion.contract?.pointer],
    ['write scope', completion.write_scope?.join(', ')],
    ['reason', completion.reason ?? undefined],
    ['due', completion.due_at == null ? undefined : time(completion.due_at)],
    ['released', time(completion.released_at)],
  ]);
  const attempts = completion.attempts.map((one) => [
    one.attempt,
    one.prompt_level,
    one.outcome,
    one.run_id,
    time(one.started_at),
    time(one.ended_at),
    one.errors.map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`).join('; '),
  ]);
  const titles = ['attempt', 'prompt', 'outcome', 'run', 'started', 'ended', 'errors'];
  const request =
    completion.request === undefined ? '' : `\n${out.free(completion.request.prompt.trimEnd())}\n`;
  return head + (attempts.length === 0 ? '' : `\n${table(titles, attempts, out.style)}`) + request;
}

export const sessionCommands: readonly CommandSpec[] = [
  start,
  create,
  resume,
  list,
  show,
  tree,
  result,
  stop,
  remove,
  skip,
  retry,
  completion,
  completions,
];
