/** A value from the search part of an address, where it is a text. */
export const searchText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
