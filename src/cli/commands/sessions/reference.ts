// Refers to a session in a request body: by id if it looks like one, otherwise by name.

/** @returns The members for the body; `undefined` if no session is named. */
export function reference<I extends object, N extends object>(
  session: string | undefined,
  byId: (sessionId: string) => I,
  byName: (sessionName: string) => N,
): I | N | undefined {
  if (session === undefined) return undefined;
  return session.startsWith('ses_') ? byId(session) : byName(session);
}
