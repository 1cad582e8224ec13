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
    <Table label="Runners" head={['Runner', 'Executors', 'Tags', 'Load', 'Last seen', 'Project', 'Id']}>
      {runners.map((one) => (
        <tr key={one.runner_id}>
          <td>
            <bdi>{one.hostname ?? one.runner_id}</bdi>
          </td>
          <td>
            <Names of={one.executor_types} />
          </td>
          <td>{one.tags.length === 0 ? <span className="faint">none</span> : <Names of={one.tags} />}</td>
          <td>
            <meter aria-label="Load" min={0} max={one.max_concurrent} value={one.active_runs} />{' '}
            {one.active_runs} of {one.max_concurrent}
          </td>
          <td>
            <Status value={isSilent(one, now) ? 'silent' : 'connected'} /> <Ago at={one.last_seen_at} />
          </td>
          <td>
            <code>{one.project_dir}</code>
          </td>
          <td>
            <code className="id">{one.runner_id}</code>
          </td>
        </tr>
      ))}
    </Table>
  );
}
