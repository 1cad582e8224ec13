// Workflow schema calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { SchemaService } from '../../ports/service.js';
import { ok } from '../../domain/errors.js';
import { get, post } from '../transport/call.js';
import { parseReply, type Transport } from '../transport/transport.js';

const Schemas = api.PageOf(api.SchemaView);

export function schemaCalls({ sendRequest, send, sendForNothing }: Transport): SchemaService {
  return {
    register: async (body) => {
      const result = await sendRequest({ ...post('workflow-schemas'), body });
      if (!result.ok) return result;
      const schema = parseReply(api.SchemaView, result.value);
      return ok({ schema, created: result.value.status === 201 });
    },
    tryRegister: (body) =>
      send(api.SchemaDryRun, { ...post('workflow-schemas'), query: { dry_run: true }, safe: true, body }),
    list: (query) => send(Schemas, { ...get('workflow-schemas'), query }),
    get: (name, version) => send(api.SchemaView, { ...get('workflow-schemas', name), query: { version } }),
    validate: (name, data, version) =>
      send(api.SchemaValidation, {
        ...post('workflow-schemas', name, 'validate'),
        query: { version },
        safe: true,
        body: { data },
      }),
    versions: (name, query) => send(Schemas, { ...get('workflow-schemas', name, 'versions'), query }),
    remove: (name, version) =>
      sendForNothing({
        method: 'DELETE',
        path: ['workflow-schemas', name, 'versions', String(version)],
        keyed: true,
      }),
  };
}
