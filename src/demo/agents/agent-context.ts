// What an agent of the demonstration knows of its run.
import type { CountersignService } from '../../client/index.js';

export interface AgentContext {
  readonly service: CountersignService;
  /** Of the tree; `null` before there is one. */
  readonly stateId: string | null;
  /** What this run is for: `work`, `state_update` or `callback`. */
  readonly purpose: string;
  readonly prompt: string;
  /** The repository under review. */
  readonly folder: string;
  /** Prints a line; what is printed becomes the result. */
  readonly print: (line: string) => void;
}
