// The view of a document that rules see, with its text computed when it is first read.
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import type { DocumentView } from '../../domain/transactions/decision-context.js';
import type { DocumentTexts } from './document-texts.js';

export function documentView(
  texts: Pick<DocumentTexts, 'text'>,
  head: Pick<StateHead, 'stateId' | 'version'>,
  document: JsonObject,
  schema: WorkflowSchema,
): DocumentView {
  return {
    stateId: head.stateId,
    version: head.version,
    document,
    get text() {
      return texts.text(document);
    },
    schema: schema.jsonSchema,
    schemaName: schema.name,
    schemaHash: schema.hash,
  };
}
