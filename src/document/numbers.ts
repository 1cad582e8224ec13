// Decimal arithmetic: 0.07 is a multiple of 0.01, although their binary values are not.

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** True if `value / divisor` is an integer, with both read as the decimals that JSON shows. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (value === 0) return true;
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return false;
  const [above, below] = [decimalOf(value), decimalOf(divisor)];
  const exponent = Math.min(above.exponent, below.exponent);
  return scaled(above, exponent) % scaled(below, exponent) === 0n;
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
