// Puts a text on the clipboard.

/**
 * A page over plain HTTP has no `navigator.clipboard`, unless its address is loopback. There it copies the selection of a
 * text area.
 *
 * @throws Error If the browser does not allow it.
 */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) await navigator.clipboard.writeText(text);
  else if (!copySelection(text)) throw new Error('The browser does not copy');
}

function copySelection(text: string): boolean {
  const area = document.createElement('textarea');
  const focused = document.activeElement;
  area.value = text;
  area.className = 'off-screen';
  document.body.append(area);
  area.select();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other way without a secure context
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
