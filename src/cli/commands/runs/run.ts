// `countersign run …`: lists, shows and stops runs.
import { RunStatus, type RunView } from '../../../ports/api/index.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { choiceFlag, textFlag } from '../../flag.js';
import type { Output } from '../../text/output.js';
import { record, time } from '../../text/table.js';
import { given, orderedPageFlags, pageText, reasonFlags } from '../page.js';

const list = clientCommand({
  usage: 'list',
  summary: 'list the runs',
  flags: {
    status: choiceFlag('--status <status>', 'only those', RunStatus.enum),
    session: textFlag('--session <session>', 'only those of this session, id or name'),
    root_session: textFlag('--root-session <session>', 'only those of this tree'),
    ...orderedPageFlags,
  },
  examples: ['countersign run list --status failed'],
  run: async ({ flags, client, out }) =>
    out.show(await client.runs.list(given(flags)), (page) =>
      pageText(out, page, ['run', 'session', 'purpose', 'status', 'attempt', 'created', 'error'], (one) => [
        one.run_id,
        one.session_name,
        one.purpose,
        one.status,
        one.attempt,
        time(one.created_at),
        one.error,
      ]),
    ),
});

const show = clientCommand({
  usage: 'show <run>',
  summary: 'print a run with its prompt',
  examples: ['countersign run show run_1'],
  run: async ({ arg, client, out }) =>
    out.show(
      await client.runs.get(arg(0)),
      (run) => `${runText(out, run)}\n${out.free(run.prompt.trimEnd())}\n`,
    ),
});

const stop = clientCommand({
  usage: 'stop <run>',
  summary: 'stop a run',
  flags: reasonFlags,
  examples: ['countersign run stop run_1', 'countersign run stop run_1 --reason "the wrong branch"'],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.runs.stop(arg(0), given(flags)), (run) => runText(out, run)),
});

/** A run as a record, without its prompt. */
export function runText(out: Output, run: RunView): string {
  return record(out.style, [
    ['run', run.run_id],
    ['session', run.session_name],
    ['session id', run.session_id],
    ['type', run.type],
    ['purpose', run.purpose],
    ['status', run.status],
    ['attempt', run.attempt],
    ['runner', run.runner_id ?? undefined],
    ['cause', run.cause],
    ['error', run.error ?? undefined],
    ['usage', run.usage === undefined ? undefined : JSON.stringify(run.usage)],
    ['created', time(run.created_at)],
    ['started', run.started_at === null ? undefined : time(run.started_at)],
    ['ended', run.completed_at === null ? undefined : time(run.completed_at)],
  ]);
}

export const runCommands: readonly CommandSpec[] = [list, show, stop];
