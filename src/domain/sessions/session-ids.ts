// Ids of sessions. All begin alike.

/** True if a text may be the id of a session. It may still be a name. */
export const mayBeSessionId = (text: string): boolean => text.startsWith('ses_');
