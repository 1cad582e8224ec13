// Why the settings of a client cannot be changed: a sentence for the user.

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
