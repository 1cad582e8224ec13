// The runners with their load.
import type { RunnerView } from '../../client/index.js';
import { Names } from './text/texts.js';
import { Ago, Status, Table, useNow } from './basics.js';

/** A runner asks for work at least every 25 seconds. One that has been silent for longer has probably ended. */
const SILENT_MS = 60_000;

export function isSilent(one: RunnerView, now: number): boolean {
  return now - Date.parse(one.last_seen_at) > SILENT_MS;
}

export function RunnerTable({ runners }: { readonly runners: readonly RunnerView[] }) {
  const now = useNow();
  return (
    <Table
      label="Runners"
      rows={runners}
      keyOf={(one) => one.runner_id}
      columns={[
        ['Runner', (one) => <bdi>{one.hostname ?? one.runner_id}</bdi>],
        ['Executors', (one) => <Names of={one.executor_types} />],
        [
          'Tags',
          ({ tags }) => (tags.length === 0 ? <span className="faint">none</span> : <Names of={tags} />),
        ],
        [
          'Load',
          (one) => (
            <>
              <meter aria-label="Load" min={0} max={one.max_concurrent} value={one.active_runs} />{' '}
              {one.active_runs} of {one.max_concurrent}
            </>
          ),
        ],
        [
          'Last seen',
          (one) => (
            <>
              <Status value={isSilent(one, now) ? 'silent' : 'connected'} /> <Ago at={one.last_seen_at} />
            </>
          ),
        ],
        ['Project', (one) => <code>{one.project_dir}</code>],
        ['Id', (one) => <code className="id">{one.runner_id}</code>],
      ]}
    />
  );
}
