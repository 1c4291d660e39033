import { contains, isPublicAddress, type Network, parseAddress, parseNetwork } from '../../base/network/index.ts';

/**
 * True when a request made for a namespace may reach the address: it is public, or `allow` (of `net.allow`) names it. Not
 * public are loopback, private and link-local addresses, metadata services, and forms that carry another address inside.
 */
export const isAllowedAddress = (text: string, allow: readonly Network[]): boolean => {
  const address = parseAddress(text);
  return address !== undefined && (isPublicAddress(address) || allow.some((network) => contains(network, address)));
};

/** Those entries of `net.allow` that are addresses or networks; names are matched by the caller. */
export const allowList = (entries: readonly string[]): readonly Network[] =>
  entries.flatMap((entry) => parseNetwork(entry) ?? []);
