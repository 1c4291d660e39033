/** An address as a number. An IPv6 address that maps an IPv4 one (`::ffff:a.b.c.d`) is that IPv4 address. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses that share the first `bits` bits of `value`. */
export interface Network extends Address {
  readonly bits: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;
const MAPPED_BITS = 96;
/** First 96 bits of every IPv4-mapped address (RFC 4291, 2.5.5.2). */
const MAPPED = 0xffffn;
const GROUPS = 8;

const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

const parseIpv4 = (text: string): bigint | undefined => {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => DECIMAL.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
};

/** Numbers of the groups between colons, the last of which may be an IPv4 address: two groups. */
const parseGroups = (text: string, mayEndInIpv4: boolean): readonly bigint[] | undefined => {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const ipv4 = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    else if (GROUP.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
};

const parseIpv6 = (text: string): bigint | undefined => {
  const [head = '', tail, more] = text.split('::');
  if (more !== undefined) return undefined;
  const first = parseGroups(head, tail === undefined);
  const last = parseGroups(tail ?? '', true);
  if (first === undefined || last === undefined) return undefined;
  const missing = GROUPS - first.length - last.length;
  // Two colons replace at least one group.
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...first, ...Array<bigint>(missing).fill(0n), ...last];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
};

const parse = (text: string): Address | undefined => {
  const family = text.includes(':') ? 6 : 4;
  const value = family === 6 ? parseIpv6(text) : parseIpv4(text);
  return value === undefined ? undefined : { family, value };
};

/**
 * Reads the text form of an address: IPv4 with four decimal numbers, or any form of RFC 4291. Undefined for everything else:
 * octal, hexadecimal and shortened IPv4, numbers above 255, zones (`fe80::1%eth0`), brackets, ports.
 */
export const parseAddress = (text: string): Address | undefined => {
  const address = parse(text);
  if (address?.family !== 6 || address.value >> 32n !== MAPPED) return address;
  return { family: 4, value: address.value & 0xffff_ffffn };
};

/** Reads `address/bits`, or a single address; bits after the prefix are ignored. Undefined for everything else. */
export const parseNetwork = (text: string): Network | undefined => {
  const [net = '', prefix, more] = text.split('/');
  const written = parse(net);
  const address = parseAddress(net);
  if (written === undefined || address === undefined || more !== undefined) return undefined;
  if (prefix !== undefined && !DECIMAL.test(prefix)) return undefined;
  const writtenBits = prefix === undefined ? WIDTH[written.family] : Number(prefix);
  const bits = written.family === address.family ? writtenBits : writtenBits - MAPPED_BITS;
  return writtenBits > WIDTH[written.family] || bits < 0 ? undefined : { ...address, bits };
};

export const contains = (network: Network, address: Address): boolean => {
  const rest = BigInt(WIDTH[network.family] - network.bits);
  return network.family === address.family && network.value >> rest === address.value >> rest;
};

/** The key that identifies a client by its address: an IPv4 address itself, for IPv6 the /64 network that one customer gets. */
export const clientNetwork = (text: string): string => {
  const address = parseAddress(text);
  if (address === undefined) return text;
  return address.family === 4 ? `4/${address.value}` : `6/${address.value >> 64n}`;
};
