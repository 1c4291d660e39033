/** `server.publicUrl` -> `SVC_SERVER_PUBLIC_URL`. */
export const environmentName = (key: string): string =>
  `SVC_${key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;

const reserved: ReadonlySet<string> = new Set([
  'SVC_CONFIG',
  'SVC_CONFIG_INLINE',
  'SVC_SERVER',
  'SVC_TOKEN',
  'SVC_API_KEY',
  'SVC_PROFILE',
  'SVC_NAMESPACE',
]);

/** Variables with our prefix that are not settings: sources of the configuration, the command line's, connector credentials. */
export const isReserved = (name: string): boolean => reserved.has(name) || name.startsWith('SVC_CONNECTOR_');
