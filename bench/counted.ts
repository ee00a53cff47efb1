import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import type { Change, Store } from '../src/storage/store.ts';

/** How often each method was called. */
export type Calls = Map<string, number>;

/** The same object, its methods counted by name. */
export function counted<T extends object>(target: T, calls: Calls): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.set(String(name), (calls.get(String(name)) ?? 0) + 1);
        return Reflect.apply(value, object, args);
      };
    },
  });
}

/** Counts the bytes that a saver writes. */
export class CountingSerializer extends JsonPlusSerializer {
  bytes = 0;

  override async dumpsTyped(data: unknown): Promise<[string, Uint8Array]> {
    const dumped = await super.dumpsTyped(data);
    this.bytes += dumped[1].length;
    return dumped;
  }
}

/** The same store; `onBytes` hears of the bytes of records that each commit writes. */
export function measuredStore(store: Store, onBytes: (bytes: number) => void): Store {
  return {
    get: (collection, id) => store.get(collection, id),
    getMany: (collection, ids) => store.getMany(collection, ids),
    query: (collection, index, range, limit) => store.query(collection, index, range, limit),
    count: (collection, index, range, atMost) => store.count(collection, index, range, atMost),
    commit(change: Change) {
      for (const { json } of change.put ?? []) onBytes(Buffer.byteLength(json));
      return store.commit(change);
    },
    reclaim: () => store.reclaim(),
    close: () => store.close(),
  };
}
