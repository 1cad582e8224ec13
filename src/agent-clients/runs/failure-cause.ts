// Classifies a client's failure: its cause, and whether it can pass without a change. Pure. Rules for a single
// client belong in the client's file.
import type { FailureCause } from '../../domain/records/records.js';

const PROMPT_TOO_LONG =
  /(?:prompt|input|conversation|message) is too long|prompt_too_long|context_length_exceeded|maximum context length|context ?overflow|context[ _](?:length|window|size)[^.\n]{0,80}(?:exceed|full|limit)|exceed\w*[^.\n]{0,60}context[ _](?:length|window|size|limit)|ran out of room in[^.\n]{0,40}context window|token count[^.\n]{0,80}exceeds|request_too_large/i;

const CONFIGURATION = new RegExp(
  [
    String.raw`(?:invalid|incorrect|wrong|unknown|missing|expired|revoked|malformed|no)[ _](?:x[ _-])?(?:api[ _-]?key|auth\w*|bearer|credentials?|access[ _]token|oauth[ _]token|token)`,
    String.raw`api[ _-]?key[^.\n]{0,60}(?:not (?:valid|found|set|provided)|invalid|incorrect|expired|disabled|missing|required|revoked)`,
    String.raw`missing (?:required )?environment variable|set an auth method|specify the \w*API_KEY`,
    String.raw`not (?:logged|signed) in|(?:log|sign) ?in (?:again|first|required|to continue)|please (?:log|sign) ?in|run \/login|\/login\b|auth login|re-?authenticate`,
    String.raw`unauthori[sz]ed|unauthenticated|authentication|permission[ _]denied|access denied|forbidden`,
    String.raw`credit balance|out of credits?|no credits|insufficient[ _](?:quota|credits?|balance|funds)|payment required|billing[ _](?:error|hard|not|disabled|required)`,
    String.raw`(?:unknown|invalid|unsupported|unrecognized) model|model[ _]not[ _](?:found|supported|allowed)|modelnotfound|(?:issue with|no access to)[^.\n]{0,30}\bmodel|\bmodels?\b[^\n]{0,160}?(?:not found|does not exist|doesn't exist|not exist|not supported|may not exist|no access|not have access)`,
    String.raw`(?:account|organi[sz]ation|project|key)[^.\n]{0,60}(?:disabled|deactivated|suspended|blocked|banned)`,
    String.raw`\b(?:401|402|403|404)\b`,
  ].join('|'),
  'i',
);

const RATE_LIMIT =
  /rate.?limit|too many requests|usage.?limit|quota|session limit|resource_exhausted|\b429\b/i;
/** Reported with status 429, but waiting does not help. */
const OUT_OF_CREDIT = /insufficient[ _]quota|credit balance|insufficient[ _](?:credits?|balance|funds)/i;
const ENVIRONMENT =
  /overloaded|high demand|unable to connect|connection|network|fetch failed|socket|ECONN|ENOTFOUND|EAI_AGAIN|timed? ?out|stream disconnected|unexpected status|server error|unavailable|bad gateway|try again|\b(408|409|425|5\d\d)\b/i;

/** The program rejected an option or argument, so a retry fails too. */
const USAGE_ERROR = /(?:unknown|unrecognized|unexpected|invalid) (?:option|argument|flag|command|value)s?\b/i;
/** Errors for which a process cannot be started now, but may be later. */
const SHORT_OF_RESOURCES = /\b(?:EAGAIN|ENOMEM|EMFILE|ENFILE|ETXTBSY)\b/;

/**
 * The cause by the client's message, and by the HTTP status of the model's API if it is known.
 *
 * @returns `agent` if the message points neither to the environment nor to the configuration.
 */
export function causeOf(message: string, status: number | null = null): FailureCause {
  if (status === null) return causeOfMessage(message);
  if (status === 429) return OUT_OF_CREDIT.test(message) ? 'configuration' : 'rate_limit';
  if (status >= 500 || status === 408 || status === 409 || status === 425) return 'environment';
  if (status === 413 || PROMPT_TOO_LONG.test(message)) return 'prompt_too_long';
  if (status >= 401 && status <= 404) return 'configuration';
  return CONFIGURATION.test(message) ? 'configuration' : 'agent';
}

function causeOfMessage(message: string): FailureCause {
  if (OUT_OF_CREDIT.test(message)) return 'configuration';
  if (RATE_LIMIT.test(message)) return 'rate_limit';
  if (PROMPT_TOO_LONG.test(message)) return 'prompt_too_long';
  if (CONFIGURATION.test(message)) return 'configuration';
  return ENVIRONMENT.test(message) ? 'environment' : 'agent';
}

/**
 * The cause for a program that ended without reporting its result, by its last output.
 *
 * @param exitCode - `null` if a signal ended it, which is never the agent's fault.
 */
export function causeOfExit(exitCode: number | null, printed: string): FailureCause {
  if (exitCode === null || exitCode > 128) return 'environment';
  if (exitCode === 126 || exitCode === 127 || USAGE_ERROR.test(printed)) return 'configuration';
  const cause = causeOf(printed);
  return cause === 'agent' ? 'environment' : cause;
}

/** The cause for a process that could not be started. */
export function causeOfSpawnError(reason: string): FailureCause {
  return SHORT_OF_RESOURCES.test(reason) ? 'environment' : 'configuration';
}
