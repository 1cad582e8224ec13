// Two JSON documents, line by line.
import { createTwoFilesPatch } from 'diff';
import { useMemo } from 'react';
import { Diff, Hunk, parseDiff } from 'react-diff-view';
import { Empty, Failed, Loading, Panel } from './basics.js';

/** Longer than this the comparison would hold up the page, milliseconds. */
const TIMEOUT_MS = 500;
/** Each line is a row of a table: 37,000 of them held up the page for 7 s. */
const LINES_MAX = 5000;

interface DifferenceProps {
  readonly title: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
  readonly error: Error | null;
  /** The command that compares them where this page cannot. */
  readonly command: string;
}

export function Difference({ title, before, after, error, command }: DifferenceProps) {
  const file = useMemo(
    () => (before === undefined || after === undefined ? null : fileOf(before, after)),
    [before, after],
  );
  return (
    <Panel title={title}>
      {error !== null && <Failed error={error} />}
      {error === null && file === null && <Loading what="both versions" />}
      {file === 'too_long' && (
        <Empty>
          These versions differ too much to be shown here. Ask for <code>{command}</code>.
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
  if (patch === undefined || patch.split('\n').length > LINES_MAX) return 'too_long';
  const [file] = parseDiff(`diff --git a/document b/document\n${patch.slice(patch.indexOf('---'))}`);
  return file ?? { hunks: [] };
}
