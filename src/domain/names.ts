// The forms of names and ids. The wire contract has that of names as a schema; a test compares the two.

/** A name that people and agents choose. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;
/** Characters of any id or name; blanks and braces are none of them. */
export const ID = /^[\w.:@-]+$/;

/** The same in words. */
export const NAME_FORM = 'up to 128 letters, digits and . _ : @ -, a letter or digit first';

export function isName(text: string): boolean {
  return NAME.test(text);
}

export function isIdOrName(text: string): boolean {
  return ID.test(text);
}
