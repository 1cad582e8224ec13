// Whose failure it was that a client told: the agent's own, or that of what it stands on. Pure.
import type { FailureCause } from '../../domain/records.js';

const RATE_LIMIT = /rate.?limit|too many requests|usage.?limit|quota|session limit|\b429\b/i;
const SURROUNDINGS =
  /overloaded|high demand|missing environment variable|unable to connect|connection|network|timed? ?out|not logged in|log ?in|api key|unauthori[sz]ed|authenticat|forbidden|credit balance|billing|stream disconnected|unexpected status|server error|service unavailable|bad gateway|\b(401|402|403|404|408|5\d\d)\b/i;

/** By the status that the model's API answered with. `null` says nothing. */
export function causeOfStatus(status: number | null): FailureCause | null {
  if (status === null) return null;
  if (status === 429) return 'rate_limit';
  return status === 400 || status === 413 || status === 422 ? 'agent' : 'environment';
}

/** By the words of a message, where there is nothing better. What says nothing of the surroundings is the agent's. */
export function causeOfMessage(message: string): FailureCause {
  if (RATE_LIMIT.test(message)) return 'rate_limit';
  return SURROUNDINGS.test(message) ? 'environment' : 'agent';
}
