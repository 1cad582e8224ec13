// A command was called incorrectly. Nothing was sent.

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
