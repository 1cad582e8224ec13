// Two versions of a document, line by line.
import { useQuery } from '@tanstack/react-query';
import { createTwoFilesPatch } from 'diff';
import { useMemo } from 'react';
import { Diff, Hunk, parseDiff } from 'react-diff-view';
import { state } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Empty, Failed, Loading, Panel } from '../../parts/basics.js';

/** Longer than this the comparison would hold up the page, milliseconds. */
const TIMEOUT_MS = 500;

export function Difference({
  id,
  from,
  to,
}: {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}) {
  const client = useClient();
  const old = useQuery(state(client, id, from));
  const now = useQuery(state(client, id, to));
  const before = old.data?.current_data;
  const after = now.data?.current_data;
  const file = useMemo(
    () => (before === undefined || after === undefined ? null : fileOf(before, after)),
    [before, after],
  );
  const error = old.error ?? now.error;
  return (
    <Panel title={`Version ${String(from)} compared with ${String(to)}`}>
      {error !== null && <Failed error={error} />}
      {error === null && file === null && <Loading what="both versions" />}
      {file === 'too_long' && (
        <Empty>
          These versions differ too much to be shown here. Ask for <code>countersign state diff {id}</code>.
        </Empty>
      )}
      {typeof file === 'object' && file !== null && file.hunks.length === 0 && (
        <Empty>Both versions are the same.</Empty>
      )}
      {typeof file === 'object' && file !== null && file.hunks.length > 0 && (
        <div className="scroll" role="region" aria-label="Difference" tabIndex={0}>
          <Diff viewType="unified" diffType="modify" hunks={file.hunks}>
            {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
          </Diff>
        </div>
      )}
    </Panel>
  );
}

function fileOf(before: object, after: object) {
  const text = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const patch = createTwoFilesPatch('a', 'b', text(before), text(after), '', '', { timeout: TIMEOUT_MS });
  if (patch === undefined) return 'too_long';
  const [file] = parseDiff(`diff --git a/document b/document\n${patch.slice(patch.indexOf('---'))}`);
  return file ?? { hunks: [] };
}
