const GROUPS = [8, 12, 16, 20] as const;

/** The next UUID, as the exclusive end of a page that begins with this one. */
export const idAfter = (id: string): string => {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) return id;
  const digits = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return [0, ...GROUPS].map((from, index) => digits.slice(from, GROUPS[index])).join('-');
};
