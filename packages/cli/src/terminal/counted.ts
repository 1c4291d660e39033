/** A count with its noun, `1 file` or `3 files`; `many` is the plural where adding an s is not enough. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
