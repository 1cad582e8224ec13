// How a session is named in a body: by its id where it looks like one, otherwise by its name.

/** @returns The members for the body; `undefined` where no session is named. */
export function reference<I extends object, N extends object>(
  session: string | undefined,
  byId: (sessionId: string) => I,
  byName: (sessionName: string) => N,
): I | N | undefined {
  if (session === undefined) return undefined;
  return session.startsWith('ses_') ? byId(session) : byName(session);
}
