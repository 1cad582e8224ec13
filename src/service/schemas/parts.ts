// What the use cases of schemas use.
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Store } from '../../ports/storage/store.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { Documents } from '../documents/documents.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

export interface SchemaParts {
  readonly engine: SchemaEngine;
  readonly transactions: TreeTransactions;
  /** Reads the schema of workflow records, which is a file. */
  readonly workflowSchema: () => JsonObject;
  readonly store: Store;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
}
