// Throughput and latency of the last hour as small charts.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { activity } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Loading, Panel, Unread, span } from '../../parts/basics.js';

const Chart = lazy(() => import('../../parts/chart.js'));

const NUMBER = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const count = (value: number) => NUMBER.format(value);
const time = (ms: number) => (ms < 1000 ? `${String(Math.round(ms))} ms` : span(ms));

export function Activity() {
  const read = useQuery(activity(useClient()));
  if (!read.isSuccess) return <Unread read={read} what="the last hour" />;
  const { items, since } = read.data;
  const at = items.map((one) => Date.parse(one.at) / 1000);
  return (
    <Panel
      title="The last hour"
      aside={
        <span className="faint">
          Counted by this coordinator, which began <Ago at={since} />
        </span>
      }
    >
      <div className="charts">
        <Suspense fallback={<Loading what="the charts" />}>
          <Chart
            title="Writes a minute"
            at={at}
            as="bars"
            format={count}
            series={[{ name: 'accepted', colour: '--accent', values: items.map(({ writes }) => writes) }]}
          />
          <Chart
            title="Runs ended a minute"
            at={at}
            as="bars"
            format={count}
            series={[
              { name: 'all', colour: '--good', values: items.map((one) => one.runs_ended) },
              { name: 'failed', colour: '--bad', values: items.map((one) => one.runs_failed) },
            ]}
          />
          <Chart
            title="Time of runs"
            at={at}
            as="lines"
            format={time}
            series={[
              { name: 'waited', colour: '--wait', values: items.map((one) => one.run_wait_ms) },
              { name: 'took', colour: '--accent', values: items.map((one) => one.run_ms) },
            ]}
          />
        </Suspense>
      </div>
    </Panel>
  );
}
