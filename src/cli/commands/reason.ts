// The reason that operators give with what they do.
import { textFlag } from '../flag.js';

export const reasonFlags = { reason: textFlag('--reason <text>', 'why; it is kept') };
