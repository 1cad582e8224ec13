// What came of a call of one of the state's tools: whether it reached them at all. Pure.

/** Every refusal of the coordinator says what to do next; what a client or the way to it says does not. */
const REFUSAL = /\bNext: /;

const NOT_REACHED =
  /not connected|disconnected|connection (?:closed|refused|reset|error|lost)|fetch failed|unable to connect|network error|socket|ECONN|EPIPE|ENOTFOUND|transport|error sending request|error posting|(?:status|http|code)[ :]*\(?5\d\d\b|timed? ?out|-3200[01]\b|no longer available|server (?:is )?unavailable/i;

/** @param failure - The text of a call that failed. */
export function isUnreached(failure: string): boolean {
  return !REFUSAL.test(failure) && NOT_REACHED.test(failure);
}
