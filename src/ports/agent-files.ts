// Where the service finds named agents. Implemented on a folder by `main/`.
import type { JsonObject } from '../domain/json/json.js';

export interface AgentFiles {
  /** Names of the agents that have a file, sorted. */
  names(): Promise<readonly string[]>;
  /**
   * What an agent's file says now.
   *
   * @returns `null` where there is none.
   * @throws Error Where it cannot be read; its message says why.
   */
  read(name: string): Promise<string | null>;
}

/** Named agents as a service gets them. */
export interface AgentSource {
  readonly files: AgentFiles;
  /** What each file has to satisfy: schemas/agent-blueprint.json. */
  readonly schema: JsonObject;
}
