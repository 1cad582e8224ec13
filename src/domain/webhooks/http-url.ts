// Which URLs the service can be at, and messages can be sent to. Which addresses are allowed is decided elsewhere.

/** True for an absolute URL of http or https. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
