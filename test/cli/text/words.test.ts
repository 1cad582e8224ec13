import { expect, it } from 'vitest';
import { wordsOf } from '../../../src/cli/text/words.js';

it.each([
  ['', []],
  ['  a  b ', ['a', 'b']],
  [`--a='b c' "d \\"e\\"" f\\ g`, ['--a=b c', 'd "e"', 'f g']],
  [`''`, ['']],
  [`'it'"'"'s'`, [`it's`]],
  ['$HOME *', ['$HOME', '*']],
])('%j is taken apart as a shell would', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});
