import { AsyncLocalStorageProviderSingleton as storage } from '@langchain/core/singletons';

/** Where LangChain looks for the config of the runnable that runs: `LC_CHILD_KEY` of its `singletons`. */
const CHILD_CONFIG = Symbol.for('lc:child_config');

const runWithConfig = storage.runWithConfig.bind(storage);

/**
 * LangChain makes a LangSmith run tree for each runnable that nobody traces, only to keep its config there: with its id
 * and its looks at the environment, that takes as long as what such a runnable does. From now on, these share one.
 * What is traced has its own as before. Call this outside of any run. docs/decisions/0063 has the figures.
 */
export function shareUntracedRunTree(): void {
  const untraced: object = runWithConfig(undefined, () => storage.getInstance().getStore()) ?? {};
  storage.runWithConfig = (config, work, isWithoutTree) => {
    if (isWithoutTree === true) return runWithConfig(config, work, true);
    const withTree: typeof work = () => {
      const instance = storage.getInstance();
      const store = instance.getStore();
      // A tree of its own: it's traced. Else there are at most variables.
      if (store?.extra !== undefined) return work();
      const tree = Object.assign(Object.create(untraced), store, { extra: { [CHILD_CONFIG]: config } });
      return instance.run(tree, work);
    };
    return runWithConfig(config, withTree, true);
  };
}
