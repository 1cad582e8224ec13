// The store itself, with something around its decisions.
import type { Store } from '../../src/ports/storage/store.js';

/** @param around - Stands in the place of `transact`, whose own is bound to the store. */
export function withTransact(
  store: Store,
  around: (transact: Store['transact']) => Store['transact'],
): Store {
  const transact = around(store.transact.bind(store));
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'transact') return transact;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
