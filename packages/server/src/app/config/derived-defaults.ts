import { join } from 'node:path';
import type { HostFacts } from './host-facts.ts';
import type { Settings, WrittenSettings } from './keys/index.ts';
import { listenAddress, urlHost } from './listen-address.ts';

const BYTES_PER_TURN = 131_072;
const TURNS_MIN = 64;
const TURNS_MAX = 10_000;
/** Used if the system does not report its limit of open files. */
const FILES_UNKNOWN = 4096;
const CONNECTIONS_MAX = 100_000;

/** Variables that make a provider usable. */
const providerVariables = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
} as const;

type Provider = NonNullable<Settings['models.providers'][string]>;

/** Fills in defaults that depend on other settings or on the machine; never replaces a given value. */
export const deriveDefaults = (
  settings: WrittenSettings,
  world: { readonly host: HostFacts; readonly variable: (name: string) => string | undefined },
): Settings => {
  const bySweep = settings['bus.url'] === undefined ? 1_000 : 2_000;
  const isOpen = settings['auth.mode'].includes('none');
  return {
    ...settings,
    'server.publicUrl': settings['server.publicUrl'] ?? publicUrl(settings),
    'store.url': settings['store.url'] ?? `sqlite:${join(settings.dataDir, 'svc.db')}`,
    'backup.dir': settings['backup.dir'] ?? join(settings.dataDir, 'backups'),
    'runtime.sweep': settings['runtime.sweep'] ?? bySweep,
    'runtime.concurrency': settings['runtime.concurrency'] ?? concurrency(world.host),
    ...connectionLimits(settings, world.host),
    'telemetry.logFormat': settings['telemetry.logFormat'] ?? (world.host.isTerminal ? 'text' : 'json'),
    'connectors.envAllow': settings['connectors.envAllow'] ?? (isOpen ? ['*'] : ['CONNECTOR_*', 'SVC_CONNECTOR_*']),
    'models.providers': withBuiltIn(settings['models.providers'], world.variable),
  };
};

/** The address for people on this machine; a server behind a name has to set its own. */
const publicUrl = (settings: WrittenSettings): string => {
  const { host, port } = listenAddress(settings['server.listen']);
  const scheme = settings['server.tls.cert'] === undefined ? 'http' : 'https';
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${urlHost(shown)}:${port}`;
};

/** A quarter of the descriptors is kept for the database, objects and outbound requests; one address gets a quarter of the rest. */
const connectionLimits = (settings: WrittenSettings, { openFiles = FILES_UNKNOWN }: HostFacts) => {
  const most = Math.max(1, Math.min(CONNECTIONS_MAX, Math.floor((openFiles * 3) / 4)));
  const connections = settings['limits.connections'] ?? most;
  const perAddress = settings['limits.connectionsPerAddress'] ?? Math.max(1, Math.floor(connections / 4));
  return { 'limits.connections': connections, 'limits.connectionsPerAddress': perAddress };
};

const concurrency = (host: HostFacts): number =>
  Math.min(TURNS_MAX, Math.max(TURNS_MIN, Math.floor(host.memoryBytes / BYTES_PER_TURN)));

/** Providers of the file, plus `demo` and each one whose key is in the environment. */
const withBuiltIn = (
  given: Settings['models.providers'],
  variable: (name: string) => string | undefined,
): Settings['models.providers'] => {
  const providers: Record<string, Provider> = { demo: { type: 'demo' }, ...given };
  for (const [name, variableName] of Object.entries(providerVariables)) {
    const apiKey = variable(variableName);
    if (apiKey === undefined || apiKey === '') continue;
    const own = providers[name];
    const type = name as keyof typeof providerVariables;
    if (own === undefined) providers[name] = { type, apiKey };
    else if (own.type === name && own.apiKey === undefined) providers[name] = { ...own, apiKey };
  }
  return providers;
};
