import { BlockList, isIP } from 'node:net';

/** Addresses that no request made for a namespace may reach (RT-R49): loopback, link-local, private, metadata, multicast. */
const refused = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  refused.addSubnet(net, bits, 'ipv4');
}
for (const [net, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  refused.addSubnet(net, bits, 'ipv6');
}

/** IPv4 inside an IPv4-mapped IPv6 address, else the text itself. */
const plain = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
};

/** True when the address is public, or `allow` (of `net.allow`: addresses or CIDR) names it. */
export const isAllowedAddress = (address: string, allow: BlockList): boolean => {
  const ip = plain(address);
  const family = isIP(ip);
  if (family === 0) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return allow.check(ip, type) || !refused.check(ip, type);
};

/** Parses `net.allow` entries that are addresses or CIDR ranges; names are matched by the caller. */
export const allowList = (entries: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const entry of entries) {
    const [net = '', bits] = entry.split('/');
    const family = isIP(net);
    if (family === 0) continue;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(net, type);
    else list.addSubnet(net, Number(bits), type);
  }
  return list;
};
