// The document that `state export` writes and `state import` reads. Knows no service and no file.
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { COMPATIBILITY_MODES } from '../../domain/schemas/compatibility.js';
import type { CompatibilityMode } from '../../domain/records/records.js';
import type { EventView, SchemaView, StateEnvelope } from '../../ports/api/index.js';
import { UsageError } from '../usage-error.js';

const FORMAT = 'countersign-state';
const FORMAT_VERSION = 1;

/** The parts of the document that an import needs; all others are informative. */
export interface StateToImport {
  readonly schema: {
    readonly name: string;
    readonly jsonSchema: JsonValue;
    readonly description: string | null;
    readonly compatibility: CompatibilityMode | null;
  };
  readonly data: JsonValue;
  /** Number of events in the document. */
  readonly events: number;
}

/** @param events - The history, oldest first; `null` to omit it. */
export function stateFile(state: StateEnvelope, schema: SchemaView, events: readonly EventView[] | null) {
  const { name, version, json_schema, description, compatibility } = schema;
  const { state_id, root_session_id, root_session_name, created_at, updated_at, updated_by } = state;
  return {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    schema: { name, version, description, compatibility, json_schema },
    state: { state_id, root_session_id, root_session_name, created_at, updated_at, updated_by },
    version: state.version,
    current_data: state.current_data,
    ...(events === null ? {} : { events: [...events] }),
  };
}

/** @throws UsageError If the document is not an export, or has an unknown format version. */
export function parseStateFile(file: JsonValue): StateToImport {
  if (!isJsonObject(file) || file['format'] !== FORMAT) {
    throw new UsageError(
      `This is no exported state: /format has to be "${FORMAT}" (countersign state export)`,
    );
  }
  if (file['format_version'] !== FORMAT_VERSION) {
    const found = JSON.stringify(file['format_version'] ?? null);
    throw new UsageError(`/format_version is ${found}; this program reads ${FORMAT_VERSION}`);
  }
  const { schema, current_data: data, events } = file;
  if (!isJsonObject(schema)) throw unfit('/schema', 'an object');
  const { name, json_schema: jsonSchema, description = null, compatibility = null } = schema;
  if (typeof name !== 'string') throw unfit('/schema/name', 'a text');
  if (jsonSchema === undefined) throw unfit('/schema/json_schema', 'a JSON Schema');
  if (description !== null && typeof description !== 'string') throw unfit('/schema/description', 'a text');
  const mode = COMPATIBILITY_MODES.find((one) => one === compatibility);
  if (mode === undefined && compatibility !== null) {
    throw unfit('/schema/compatibility', `one of ${COMPATIBILITY_MODES.join(', ')}`);
  }
  if (data === undefined) throw unfit('/current_data', 'the document of the state');
  if (events !== undefined && !Array.isArray(events)) throw unfit('/events', 'an array');
  return {
    schema: { name, jsonSchema, description, compatibility: mode ?? null },
    data,
    events: Array.isArray(events) ? events.length : 0,
  };
}

function unfit(pointer: string, expected: string): UsageError {
  return new UsageError(`The exported state is not whole: ${pointer} has to be ${expected}`);
}
