/** When a resource was made, in Unix microseconds: the first 48 bits of its uid are that time in milliseconds. */
export const createdAt = (uid: string | undefined): bigint | undefined => {
  const hex = uid?.replaceAll('-', '').slice(0, 12) ?? '';
  return /^[0-9a-f]{12}$/.test(hex) ? BigInt(`0x${hex}`) * 1_000n : undefined;
};
