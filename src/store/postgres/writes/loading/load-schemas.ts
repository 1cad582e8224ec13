// Loads what decisions need of schemas.
import type { LoadRequest } from '../../../../domain/transactions/loaded-records.js';
import type { RecordMaps } from '../../../record-maps.js';
import { intact } from '../../../rows/intact-rows.js';
import { first } from '../../connection/db.js';
import type { Loading } from './loading.js';

type SchemaRequest = Extract<
  LoadRequest,
  { load: 'schemaName' | 'schemaVersion' | 'schemaOf' | 'schemasOwned' }
>;

/** @param records - To which it adds. */
export async function loadSchemas(
  request: SchemaRequest,
  loading: Loading,
  records: RecordMaps,
): Promise<void> {
  switch (request.load) {
    case 'schemaName': {
      const { name, hash } = request;
      for (const found of [
        await first(loading.newestSchema.execute({ id: name })),
        await first(loading.schemaByHash.execute({ id: name, hash })),
      ])
        if (found !== undefined) records.schemas.set(found.schemaId, intact('schema', found));
      return;
    }
    case 'schemaVersion': {
      const { name, version } = request;
      const schema = await first(loading.lockedSchemaVersion.execute({ id: name, version }));
      if (schema === undefined) return;
      const { schemaId } = schema;
      records.schemas.set(schemaId, intact('schema', schema));
      const used = await first(loading.schemaUses.execute({ id: schemaId }));
      records.schemaUses.set(schemaId, used?.uses ?? 0);
      return;
    }
    case 'schemaOf': {
      const found = await first(loading.schemaName.execute({ id: request.schemaId }));
      if (found !== undefined) records.schemaNames.set(request.schemaId, found.name);
      return;
    }
    case 'schemasOwned': {
      const owned = await first(loading.schemasOwned.execute({ id: request.rootSessionId }));
      records.schemasOwned.set(request.rootSessionId, owned?.versions ?? 0);
    }
  }
}
