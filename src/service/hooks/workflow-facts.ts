// What the gate and the start of a session need to know of the workflow of a tree.
import { workflowSummary } from '../../domain/hooks/workflow-summary.js';
import type { WorkflowFacts } from '../../domain/hooks/workflow-gate.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Session, StateHead } from '../../domain/records/records.js';
import { declaresWorkflow } from '../../domain/workflow/workflow.js';
import type { Store } from '../../ports/storage/store.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import { workflowModes } from '../agents/workflow-modes.js';
import type { Documents } from '../documents/documents.js';
import type { SchemaCache } from '../schemas/schema-cache.js';

export interface WorkflowFactsParts {
  readonly store: Store;
  readonly schemas: SchemaCache;
  readonly agents: AgentRegistry;
  readonly documents: Documents;
}

/** @returns `null` if neither the tree nor the agent of the session is held to the workflow. */
export async function workflowFacts(
  { schemas, agents }: WorkflowFactsParts,
  { agentName }: Session,
  { schemaId }: StateHead,
  document: JsonObject,
): Promise<WorkflowFacts | null> {
  const schema = (await schemas.byId(schemaId))?.jsonSchema;
  if (schema === undefined) throw new Error(`the schema ${schemaId} is missing`);
  const isWorkflow = declaresWorkflow(schema);
  if (!isWorkflow && !(await asksForGate(agents, agentName))) return null;
  const modes = await workflowModes(agents, schema);
  return { document, isWorkflow, modes: modes.ok ? modes.value : { fault: modes.failure.detail } };
}

/** An unusable file counts as `workflow_gate: true`. */
async function asksForGate(agents: AgentRegistry, agentName: string | null): Promise<boolean> {
  const file = agentName === null ? null : await agents.look(agentName);
  if (file === null) return false;
  return 'faults' in file || file.blueprint.workflow_gate === true;
}

/** The lines on the workflow of a tree for a session that begins; none if there is no record, or it cannot be read. */
export async function workflowLines(
  { store, schemas, documents }: WorkflowFactsParts,
  stateId: string | null,
): Promise<readonly string[]> {
  try {
    const head = stateId === null ? null : await store.read.state(stateId);
    const schema = head === null ? null : await schemas.byId(head.schemaId);
    if (head === null || schema === null || !declaresWorkflow(schema.jsonSchema)) return [];
    const document = await documents.at(head);
    return document === null ? [] : workflowSummary(document);
  } catch {
    // The gate and the next read say what is wrong with it.
    return [];
  }
}
