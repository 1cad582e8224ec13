// Opens a page in the browser of the user, where there is a screen.
import type { CliIo } from '../cli/index.js';

/** False without a terminal, over SSH, and where no screen is known. `BROWSER=none` turns it off. */
export function hasBrowser(
  { isTTY, env }: Pick<CliIo, 'isTTY' | 'env'>,
  platform = process.platform,
): boolean {
  if (!isTTY || env['BROWSER'] === 'none' || env['CI'] !== undefined) return false;
  if (env['SSH_CONNECTION'] !== undefined) return false;
  const needsDisplay = platform !== 'darwin' && platform !== 'win32';
  return !needsDisplay || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
}

/** @returns False if it could not be opened. */
export async function openPage(url: string): Promise<boolean> {
  try {
    // Loaded here: most commands never open a page.
    const { default: open } = await import('open');
    const opener = await open(url);
    opener.on('error', () => undefined);
    return true;
  } catch {
    return false;
  }
}
