// A mistake in how a command was called. Nothing was sent.

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
