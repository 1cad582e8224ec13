// The files of named agents, as the service reads them. `main/` implements this interface on a folder.
import type { JsonObject } from '../domain/json/json.js';

interface AgentFiles {
  /** The names of all agents that have a file, sorted. */
  names(): Promise<readonly string[]>;
  /**
   * Reads an agent's file as it is now.
   *
   * @returns The text, or `null` if the agent has no file.
   * @throws Error The file cannot be read; the message says why.
   */
  read(name: string): Promise<string | null>;
}

/** What the service needs to offer named agents. */
export interface AgentSource {
  readonly files: AgentFiles;
  /** The JSON Schema that each file must satisfy: schemas/agent-blueprint.json. */
  readonly schema: JsonObject;
}
