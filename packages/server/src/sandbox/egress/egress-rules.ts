import type { SandboxNetwork } from '../contract.ts';

/** Where a request wants to go. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

const LAST_PORT = 65_535;

/** `host:port` of a CONNECT request; undefined when it is none. */
export const parseAuthority = (text: string): Destination | undefined => {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]/?#@\s]+):(\d{1,5})$/.exec(text);
  const host = (match?.[1] ?? '').replace(/^\[|\]$/g, '').toLowerCase();
  const port = Number(match?.[2] ?? 0);
  return host === '' || port < 1 || port > LAST_PORT ? undefined : { host, port };
};

/** The destination of a plain request, whose target is a whole address. */
export const parseTarget = (text: string): Destination | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'http:' || url.username !== '' || url.password !== '') return undefined;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port === '' ? '80' : url.port) };
};

/** Ports of an entry that names none. */
const WEB_PORTS: readonly number[] = [80, 443];

const matches = (entry: string, { host, port }: Destination): boolean => {
  const match = /^(.*?)(?::(\d{1,5}))?$/.exec(entry.toLowerCase());
  const name = match?.[1] ?? '';
  const given = match?.[2];
  if (given === undefined ? !WEB_PORTS.includes(port) : Number(given) !== port) return false;
  const plain = host.replace(/\.$/, '');
  return name.startsWith('*.') ? plain.endsWith(name.slice(1)) && plain.length >= name.length : plain === name;
};

/**
 * Whether a sandbox may ask for the destination by its name. An entry is a host, `*.` and a domain for every host below it, and
 * perhaps `:port`; without one it means 80 and 443. Whether the address behind the name may be reached is another question.
 */
export const isDestinationAllowed = (network: SandboxNetwork, destination: Destination): boolean => {
  if (network.mode === 'public') return true;
  return network.mode === 'hosts' && network.hosts.some((entry) => matches(entry, destination));
};
