/** Runs one piece of work after the other. */
export type Alone = <T>(work: () => Promise<T>) => Promise<T>;

export function createAlone(): Alone {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work, work);
    last = done;
    return done;
  };
}
