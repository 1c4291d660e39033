/**
 * base/network: the one parser of IP addresses and networks, and the table of addresses that are not part of the public
 * internet. Used for every decision about an address: outbound requests, the Host header, loopback, limits per address.
 * Also how a client says which version of an answer it has.
 */
export { clientNetwork, contains, type Network, parseAddress, parseNetwork } from './address.ts';
export { namesTag } from './entity-tag.ts';
export { isLoopbackAddress, isLoopbackHost, isPublicAddress } from './special-ranges.ts';
