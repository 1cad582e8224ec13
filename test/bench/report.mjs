// How figures are printed: a name, a ratio, what must hold, and the absolute numbers of this machine beside it.

export function heading(text) {
  console.log(`\n${text}`);
}

/** @param must - Such as '>= 0.70' or '<= 3'; empty where nothing is asked. A missed one is told with how far. */
export function line(name, value, must = '', note = '') {
  console.log(`${name.padEnd(52)} ${value.padStart(9)}  ${judged(value, must).padEnd(25)} ${note}`);
}

function judged(value, must) {
  if (must === '') return '';
  const [, sign, bound] = /^(<=|>=) ([0-9.]+)$/.exec(must) ?? [];
  const holds = sign === '<=' ? Number(value) <= Number(bound) : Number(value) >= Number(bound);
  const far = 100 * Math.abs(1 - Number(value) / Number(bound));
  return `${must} ${holds ? 'ok' : `MISSED by ${far.toFixed(0)} %`}`;
}

export const figure = (number) => number.toFixed(2);

export const ratio = (a, b) => figure(a / b);

export const rate = ({ perSecond, p50, p99 }) =>
  `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
