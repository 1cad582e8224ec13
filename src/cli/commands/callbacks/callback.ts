// `countersign callback …`: lists, pulls, acknowledges and redelivers the messages to parents.
import { answeredWithin, ANSWER_MS, untilAnswered } from '../../../client/until-answered.js';
import type { CallbackView } from '../../../ports/api/index.js';
import { DEFAULT_LIMITS } from '../../../domain/limits.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { choiceFlag, durationFlag, textFlag } from '../../flag.js';
import type { Output } from '../../text/output.js';
import { record, time } from '../../text/table.js';
import { given, orderedPageFlags, pageText, reasonFlags } from '../page.js';

const STATUSES = ['held', 'queued', 'delivered', 'acknowledged', 'dead'] as const;

const list = clientCommand({
  usage: 'list',
  summary: 'list the callbacks',
  flags: {
    status: choiceFlag('--status <status>', 'only those', STATUSES),
    root_session: textFlag('--root-session <session>', 'only those of this tree'),
    child_session: textFlag('--child-session <session>', 'only those of this child, id or name'),
    ...orderedPageFlags,
  },
  examples: ['countersign callback list --status dead'],
  run: async ({ flags, client, out }) =>
    out.show(await client.callbacks.list(given(flags)), (page) =>
      pageText(
        out,
        page,
        ['callback', 'parent', 'child', 'status', 'outcome', 'update', 'created', 'reason'],
        (one) => [
          one.callback_id,
          one.parent_session_id,
          one.child_session_id,
          one.status,
          one.outcome,
          one.metadata.state_update_status,
          time(one.created_at),
          one.reason,
        ],
      ),
    ),
});

const ack = clientCommand({
  usage: 'ack <callback>',
  summary: 'acknowledge a callback',
  examples: ['countersign callback ack cb_1'],
  run: async ({ arg, client, out }) =>
    out.show(await client.callbacks.acknowledge(arg(0)), (one) => callbackText(out, one)),
});

const redeliver = clientCommand({
  usage: 'redeliver <callback>',
  summary: 'deliver a dead callback again',
  flags: reasonFlags,
  examples: [
    'countersign callback redeliver cb_1',
    'countersign callback redeliver cb_1 --reason "the parent was restored"',
  ],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.callbacks.redeliver(arg(0), given(flags)), (one) => callbackText(out, one)),
});

const pull = clientCommand({
  usage: 'pull <session>',
  summary: 'take the callbacks of a parent that pulls them',
  flags: { wait: durationFlag('--wait <time>', 'wait for one at most so long, such as 30s') },
  examples: ['countersign callback pull orchestrator --wait 10m'],
  run: async ({ flags: { wait = 0 }, arg, client, out }) => {
    const deadline = performance.now() + wait;
    for (;;) {
      const leftMs = () => Math.max(0, Math.round(deadline - performance.now()));
      const waitMs = () => Math.min(leftMs(), DEFAULT_LIMITS.waitMsMax);
      const limitMs = () => (wait === 0 ? Infinity : leftMs() + ANSWER_MS);
      const ask = () =>
        answeredWithin(limitMs(), undefined, (limit) =>
          client.sessions.pullCallbacks(arg(0), waitMs(), limit),
        );
      const result = await untilAnswered(ask, { deadline });
      if (result.ok && result.value.items.length === 0 && leftMs() > 0) continue;
      return out.show(result, ({ items, remaining = 0, state_summary: summary }) => {
        if (items.length === 0) out.note('No callbacks.');
        if (remaining > 0) out.note(`${String(remaining)} more wait: acknowledge these, and pull again.`);
        const state = summary === undefined ? [] : [`${out.free(summary)}\n`];
        return [...items.map((one) => callbackText(out, one)), ...state].join('\n');
      });
    }
  },
});

function callbackText(out: Output, callback: CallbackView): string {
  const head = record(out.style, [
    ['callback', callback.callback_id],
    ['child', callback.child_session_id],
    ['status', callback.status],
    ['outcome', callback.outcome],
    ['update', callback.metadata.state_update_status],
    ['state version', callback.metadata.workflow_state_version],
    ['reason', callback.reason ?? undefined],
  ]);
  return callback.message === null ? head : `${head}\n${out.free(callback.message.trimEnd())}\n`;
}

export const callbackCommands: readonly CommandSpec[] = [list, ack, redeliver, pull];
