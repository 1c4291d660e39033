import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import type { Jail, SystemPath } from './jail-arguments.ts';

/** What the jail has of the machine: programs and libraries, and the few settings that these need. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const SETTINGS = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'pki/tls/certs',
  'ssl/certs',
  'ssl/openssl.cnf',
].map((name) => `/etc/${name}`);

/** Files of /etc that name users and hosts are the jail's own. */
export const OWN_SETTINGS: Readonly<Record<string, string>> = {
  passwd: 'sandbox:x:1000:1000::/workspace:/bin/sh\n',
  group: 'sandbox:x:1000:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
};

/** Where programs find the name servers, for a jail that has the network of the machine. */
const NAME_SERVERS = '/etc/resolv.conf';

/** What a jail with this network has of the machine, as far as it exists. */
export const systemPaths = (network: Jail['network']): readonly SystemPath[] => {
  const found: SystemPath[] = [];
  for (const path of [...SYSTEM, ...SETTINGS, ...(network === 'host' ? [NAME_SERVERS] : [])]) {
    if (!existsSync(path)) continue;
    const isLink = SYSTEM.includes(path) && lstatSync(path).isSymbolicLink();
    found.push(isLink ? { path, link: readlinkSync(path) } : { path });
  }
  return found;
};
