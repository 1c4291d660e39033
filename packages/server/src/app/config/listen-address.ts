/** Host and port of `server.listen`. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `host:port`, `[::1]:port` and `:port` (every address); undefined when it is not one of them. Port 0 picks a free
 * one.
 */
export const parseListen = (text: string): ListenAddress | undefined => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  const host = match[1] ?? match[2] ?? '';
  return port > 65_535 ? undefined : { host: host === '' || host === '*' ? '0.0.0.0' : host, port };
};

/** A setting that its kind has accepted already. */
export const listenAddress = (text: string): ListenAddress => {
  const address = parseListen(text);
  if (address === undefined) throw new Error(`server.listen was not checked: ${text}`);
  return address;
};

/** An address as in a URL: IPv6 in brackets. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The address of clients, without a slash at the end; one that was derived from port 0 gets the port that was free. */
export const clientUrl = ({ publicUrl }: { readonly publicUrl: string }, port: number): string =>
  publicUrl.replace(/:0$/, `:${port}`).replace(/\/+$/, '');
