// Decides whether a failed call of a state tool reached the coordinator. Pure.

/** Every failure from the coordinator says what to do next; errors of the client or of the connection do not. */
const REFUSAL = /\bNext: /;

const NOT_REACHED =
  /not connected|disconnected|connection (?:closed|refused|reset|error|lost)|fetch failed|unable to connect|network error|socket|ECONN|EPIPE|ENOTFOUND|transport|error sending request|error posting|(?:status|http|code)[ :]*\(?5\d\d\b|timed? ?out|-3200[01]\b|no longer available|server (?:is )?unavailable/i;

/** @param failure - The text of a failed call. */
export function isUnreached(failure: string): boolean {
  return !REFUSAL.test(failure) && NOT_REACHED.test(failure);
}
