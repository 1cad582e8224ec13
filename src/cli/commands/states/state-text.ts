// A workflow state as text for a terminal.
import type { StateEnvelope } from '../../../ports/api/index.js';
import type { Output } from '../../text/output.js';
import { record, time } from '../../text/table.js';

export function stateText(out: Output, state: StateEnvelope): string {
  const head = record(out.style, [
    ['state', state.state_id],
    ['version', state.version],
    ['schema', `${state.schema_name}@${state.schema_version}`],
    ['root session', state.root_session_name],
    ['updated', `${time(state.updated_at)} by ${state.updated_by ?? 'operator'}`],
  ]);
  return `${head}\n${out.document(state.current_data)}`;
}
