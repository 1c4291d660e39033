import { assert } from '../assert.ts';
import { type Address, contains, type Network, parseAddress, parseNetwork } from './address.ts';

/**
 * Networks without public hosts, or whose addresses contain another address, which is not examined here. From the registries
 * "IANA IPv4 Special-Purpose Address Space" and "IANA IPv6 Special-Purpose Address Space" (as of 2025: rows that are not
 * globally reachable, and translation prefixes), plus multicast and the two address forms that RFC 4291 and RFC 3879 withdrew.
 */
const SPECIAL: readonly string[] = [
  '0.0.0.0/8', // this network (RFC 791)
  '10.0.0.0/8', // private use (RFC 1918)
  '100.64.0.0/10', // shared by carriers (RFC 6598)
  '127.0.0.0/8', // loopback (RFC 1122)
  '169.254.0.0/16', // link-local, and the metadata services of clouds (RFC 3927)
  '172.16.0.0/12', // private use (RFC 1918)
  '192.0.0.0/24', // protocol assignments (RFC 6890)
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.88.99.0/24', // relays of 6to4, withdrawn (RFC 7526)
  '192.168.0.0/16', // private use (RFC 1918)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation (RFC 5737)
  '203.0.113.0/24', // documentation (RFC 5737)
  '224.0.0.0/4', // multicast (RFC 5771)
  '240.0.0.0/4', // reserved, and broadcast (RFC 1112, RFC 8190)
  '::/96', // unspecified, loopback, and IPv4-compatible addresses, withdrawn (RFC 4291)
  '64:ff9b::/96', // translation to IPv4 (RFC 6052)
  '64:ff9b:1::/48', // translation to IPv4, local (RFC 8215)
  '100::/64', // discarded (RFC 6666)
  '100:0:0:1::/64', // dummy prefix (RFC 9780)
  '2001::/23', // protocol assignments; 2001::/32 is Teredo, which carries IPv4 (RFC 2928, RFC 4380)
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4, which carries IPv4 (RFC 3056)
  '3fff::/20', // documentation (RFC 9637)
  '5f00::/16', // segment routing (RFC 9602)
  'fc00::/7', // unique local (RFC 4193)
  'fe80::/10', // link-local (RFC 4291)
  'fec0::/10', // site-local, withdrawn (RFC 3879)
  'ff00::/8', // multicast (RFC 4291)
];

/** A row of the tables here; a test checks them. */
const network = (text: string): Network => {
  const parsed = parseNetwork(text);
  assert(parsed !== undefined, `${text} is a network`);
  return parsed;
};

const special = SPECIAL.map(network);
/** Everything that is assigned to public hosts so far: addresses outside of it have no meaning yet (IANA IPv6 Address Space). */
const globalUnicast = network('2000::/3');
const loopback = ['127.0.0.0/8', '::1/128'].map(network);

/** True for an address of the public internet. */
export const isPublicAddress = (address: Address): boolean =>
  (address.family === 4 || contains(globalUnicast, address)) && !special.some((range) => contains(range, address));

/** True for an address that only this machine reaches: 127.0.0.0/8 and ::1, also in IPv4-mapped form. */
export const isLoopbackAddress = (text: string): boolean => {
  const address = parseAddress(text);
  return address !== undefined && loopback.some((range) => contains(range, address));
};

/** True for a host name or address, without port and brackets, that can only mean this machine (RFC 6761, 6.3). */
export const isLoopbackHost = (host: string): boolean =>
  isLoopbackAddress(host) || /^(?:[a-z0-9-]+\.)*localhost\.?$/i.test(host);
