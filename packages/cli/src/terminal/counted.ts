/** A count with its noun, `1 file` or `3 files`; `many` where an s is not enough: other words, a verb that follows. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
