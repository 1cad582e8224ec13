// Statements that are built when they are first used: a service that starts uses few of them.

type Makers = Readonly<Record<string, () => unknown>>;
type Made<M extends Makers> = { readonly [Name in keyof M]: ReturnType<M[Name]> };

/** @returns An object whose members are made when they are first read, once each. */
export function whenUsed<M extends Makers>(makers: M): Made<M> {
  const made = {};
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(made, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = make();
        Object.defineProperty(made, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return made as Made<M>;
}
