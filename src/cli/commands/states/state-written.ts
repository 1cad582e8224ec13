// Prints the result of a write of a state.
import { SIZE_WARNING } from '../../../domain/states/size.js';
import type { Result } from '../../../domain/errors.js';
import type { StateWritten } from '../../../ports/api/index.js';
import type { Output } from '../../text/output.js';

/** Notes the schema violations that the write left in place, and a document that is nearly too large. */
export function noteWarnings(out: Output, { warnings = [] }: Pick<StateWritten, 'warnings'>): void {
  for (const { pointer, keyword, message } of warnings) {
    if (keyword === SIZE_WARNING) {
      out.note(message);
      continue;
    }
    out.note(
      `let stay, though the schema refuses it: ${pointer === '' ? '(the document)' : pointer}: ${message}`,
    );
  }
}

/** Prints the result of a write. @returns The exit code. */
export function written(out: Output, result: Result<StateWritten>, dryRun: boolean): number {
  return out.show(result, (state) => {
    noteWarnings(out, state);
    if (!state.changed) return `${state.state_id}  version ${state.version}, unchanged\n`;
    const merged = state.merged === true ? ', merged with what others wrote' : '';
    return `${state.state_id}  version ${state.version}${merged}${dryRun ? ', if it were not a dry run' : ''}\n`;
  });
}
