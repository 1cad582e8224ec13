// What the lists ask for. The first part of a key names what a change makes old.
import { queryOptions } from '@tanstack/react-query';
import type { CompletionListed, Countersign, RunView } from '../../client/index.js';

const PAGE = 50;

/** What the lists with a status are filtered by. */
export type ListStatus = RunStatus | UpdateStatus;

/** The filters of a list, as the address holds them. */
export interface ListFilter<Status extends ListStatus> {
  readonly status?: Status | undefined;
  readonly root?: string | undefined;
  readonly cursor?: string | undefined;
}

function queryOf<Status extends ListStatus>({ status, root, cursor }: ListFilter<Status>) {
  return {
    limit: PAGE,
    ...(status === undefined ? {} : { status }),
    ...(root === undefined ? {} : { root_session: root }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

export type RunStatus = RunView['status'];
export const RUN_STATUSES: readonly RunStatus[] = [
  'pending',
  'claimed',
  'running',
  'stopping',
  'completed',
  'failed',
  'stopped',
  'timed_out',
];

export const runs = (client: Countersign, filter: ListFilter<RunStatus>) =>
  queryOptions({
    queryKey: ['runs', 'list', filter],
    queryFn: () => client.runs.list(queryOf(filter)),
    placeholderData: (before) => before,
  });

export const run = (client: Countersign, id: string) =>
  queryOptions({ queryKey: ['runs', id], queryFn: () => client.runs.get(id) });

export type UpdateStatus = NonNullable<CompletionListed['state_update_status']>;
export const UPDATE_STATUSES: readonly UpdateStatus[] = ['pending', 'failed', 'completed', 'skipped'];

export const completionList = (client: Countersign, filter: ListFilter<UpdateStatus>) =>
  queryOptions({
    queryKey: ['completions', 'list', filter],
    queryFn: () => client.sessions.completions(queryOf(filter)),
    placeholderData: (before) => before,
  });
