/**
 * base/network: the one parser of IP addresses and networks, and the table of addresses that are not part of the public
 * internet. Used wherever an address decides: outbound requests, the Host header, what counts as this machine, limits per address.
 */
export { clientNetwork, contains, type Network, parseAddress, parseNetwork } from './address.ts';
export { isLoopbackAddress, isLoopbackHost, isPublicAddress } from './special-ranges.ts';
