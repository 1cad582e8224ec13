// A value that is made on its first use.

/** Makes the value once. If `make` throws, the next call makes it again. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
