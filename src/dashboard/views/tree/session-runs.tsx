// The runs of a session, each with its prompt and what it consumed, and the result of its work.
import { useQuery } from '@tanstack/react-query';
import type { RunView } from '../../../client/index.js';
import { PURPOSES, runsOfSession } from '../../api/list-queries.js';
import { sessionResult } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Status, Took, Unread } from '../../parts/basics.js';
import { Json, Reveal, Text } from '../../parts/facts.js';
import { RunLink } from '../../parts/text/links.js';

export function SessionRuns({ session }: { readonly session: string }) {
  const read = useQuery(runsOfSession(useClient(), session));
  if (!read.isSuccess) return <Unread read={read} what="the runs" />;
  const { items, next_cursor: next } = read.data;
  if (items.length === 0) return <p className="faint">No runner has had a run of this session.</p>;
  return (
    <>
      <ol className="entries">
        {items.map((one) => (
          <Run key={one.run_id} one={one} />
        ))}
      </ol>
      {next !== null && <p className="faint">Only the newest runs are shown.</p>}
    </>
  );
}

function Run({ one }: { readonly one: RunView }) {
  return (
    <li>
      <div className="row">
        <Status value={one.status} />
        <span>{PURPOSES[one.purpose]}</span>
        <span className="faint">
          <Ago at={one.created_at} />
          {one.started_at !== null && (
            <>
              , took <Took from={one.started_at} to={one.completed_at} />
            </>
          )}
        </span>
        <RunLink id={one.run_id} />
      </div>
      {one.error !== null && <p dir="auto">{one.error}</p>}
      <Reveal name="Prompt">
        <Text label={`Prompt of ${one.run_id}`}>{one.prompt}</Text>
      </Reveal>
      {one.usage !== undefined && one.usage !== null && (
        <Reveal name="Usage">
          <Json label={`Usage of ${one.run_id}`} value={one.usage} />
        </Reveal>
      )}
    </li>
  );
}

export function SessionOutput({ session }: { readonly session: string }) {
  const read = useQuery(sessionResult(useClient(), session));
  if (!read.isSuccess) return <Unread read={read} what="the result" />;
  const { result_text: text, result_data: data } = read.data;
  if (text === null && data === null) return <p className="faint">Its work has given nothing back yet.</p>;
  return (
    <>
      {text !== null && <Text label="Output of its work">{text}</Text>}
      {data !== null && <Json label="Data of its work" value={data} />}
    </>
  );
}
