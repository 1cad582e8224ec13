// The schemas that the service registers itself, when they are first needed.
import type { Result } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { WorkflowSchema } from '../../domain/records/records.js';
import { FREE_FORM } from '../../domain/schemas/register.js';
import { WORKFLOW_SCHEMA } from '../../domain/workflow/workflow.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import { andThen, mapped } from '../results.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import { registerUnderName, type RegisterSchemaParts } from './register-schema.js';

export interface BuiltInParts extends RegisterSchemaParts {
  readonly engine: SchemaEngine;
  readonly transactions: TreeTransactions;
  /** Reads the schema of workflow records, which is a file. */
  readonly workflowSchema: () => JsonObject;
}

interface BuiltIn {
  readonly name: string;
  readonly json_schema: JsonObject;
  readonly description: string;
}

export const FREE_FORM_SCHEMA: BuiltIn = {
  name: FREE_FORM,
  json_schema: { type: 'object' },
  description: 'Any JSON object; built in.',
};

/** The built-in schema of a name; `null` for any other name. */
export function builtIn({ workflowSchema }: BuiltInParts, name: string): BuiltIn | null {
  switch (name) {
    case FREE_FORM:
      return FREE_FORM_SCHEMA;
    case WORKFLOW_SCHEMA:
      return {
        name,
        json_schema: workflowSchema(),
        description: 'The record of an orchestrator; built in.',
      };
    default:
      return null;
  }
}

/** Registers a built-in schema for the service, or finds the version that has its content. */
export function registerBuiltIn(context: BuiltInParts, body: BuiltIn): Promise<Result<WorkflowSchema>> {
  return andThen(context.engine.admit(body.json_schema, 'document'), async (admitted) =>
    mapped(
      await registerUnderName(context, body, admitted, null, context.transactions),
      ({ schema }) => schema,
    ),
  );
}
