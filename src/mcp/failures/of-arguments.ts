// The locations of a failure, as arguments of the tool: the terms of a completion stand beside the others here.
import { fail, type Failure, type Result, type Violation } from '../../domain/errors.js';

/** A failure that names the terms of the completion as the arguments that they are here. */
export function ofArguments({ error, detail, members }: Failure): Result<never> {
  const errors: readonly unknown[] = Array.isArray(members['errors']) ? members['errors'] : [];
  const named = errors.filter(isViolation).map((one) => ({
    ...one,
    pointer: one.pointer.replace(/^\/completion(?=\/)/, ''),
  }));
  return fail(error, detail, named.length === 0 ? members : { ...members, errors: named });
}

function isViolation(one: unknown): one is Violation {
  return typeof one === 'object' && one !== null && 'pointer' in one && typeof one.pointer === 'string';
}
