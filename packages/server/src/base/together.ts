/**
 * Results of several operations started at once, in their order, so that an engine may send them together. Unlike
 * `Promise.all` it waits for all of them before it rejects (with the first failure in order): nothing is still running
 * when the caller continues.
 */
export const together = async <T extends readonly unknown[]>(
  ...work: {
    readonly [K in keyof T]: Promise<T[K]>;
  }
): Promise<T> => {
  const settled = await Promise.allSettled(work);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  }) as unknown as T;
};
