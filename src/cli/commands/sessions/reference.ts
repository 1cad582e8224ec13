// Refers to a session in a request body: by id if it looks like one, otherwise by name.

/** @returns The members for the body, such as `parent_session_id` for `parent_session`; none if no session is named. */
export function reference<P extends string>(
  prefix: P,
  session: string | undefined,
): Partial<Record<`${P}_id` | `${P}_name`, string>> {
  if (session === undefined) return {};
  const member = `${prefix}_${session.startsWith('ses_') ? 'id' : 'name'}`;
  return { [member]: session } as Partial<Record<`${P}_id` | `${P}_name`, string>>;
}
