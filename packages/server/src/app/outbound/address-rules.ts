import { contains, isPublicAddress, type Network, parseAddress, parseNetwork } from '../../base/network/index.ts';

/**
 * True when a request for a namespace may reach the address: it is public, or `allow` (`net.allow`) lists it. Not
 * public are loopback, private and link-local addresses, metadata services, and forms that contain another address.
 */
export const isAllowedAddress = (text: string, allow: readonly Network[]): boolean => {
  const address = parseAddress(text);
  return address !== undefined && (isPublicAddress(address) || allow.some((network) => contains(network, address)));
};

/** The entries of `net.allow` that are addresses or networks; the caller matches names. */
export const allowList = (entries: readonly string[]): readonly Network[] =>
  entries.flatMap((entry) => parseNetwork(entry) ?? []);

/** Whether addresses may be reached by what a namespace started, for an operator's `net.allow`. */
export const outboundAddresses = (entries: readonly string[]): ((address: string) => boolean) => {
  const allow = allowList(entries);
  return (address) => isAllowedAddress(address, allow);
};
