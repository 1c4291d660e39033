import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { type Clock, Fault, type Ids, type Log } from '../base/index.ts';
import {
  DemoProvider,
  DockerKind,
  HostedKind,
  InstanceName,
  LocalProvider,
  type SandboxProvider,
  type SandboxProviderKind,
} from '../sandbox/index.ts';
import { outboundAddresses } from './outbound/index.ts';

interface SandboxProviderDeps {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The value of a `secret://` reference of a namespace; Fault when there is none. */
  readonly secret: (namespace: string, reference: string) => Promise<string>;
  readonly settings: {
    readonly 'net.allow': readonly string[];
    readonly 'sandbox.providers'?: Readonly<Record<string, unknown>> | undefined;
  };
}

interface SandboxParts {
  readonly providers: readonly SandboxProvider[];
  readonly providerKinds: readonly SandboxProviderKind[];
}

/** Where programs usually are, for a process without PATH. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';
const USUAL_SOCKET = '/var/run/docker.sock';
const SOCKETS = 'sandbox.providers.docker.sockets';

const USUAL_E2B = { urls: ['e2b.app'], env: ['E2B_API_KEY'] };
const USUAL_DAYTONA = { urls: ['https://app.daytona.io/api'], env: ['DAYTONA_API_KEY'] };

/** Every provider of sandboxes of this process; which of them works is found out when a class names it. */
export const sandboxProviders = (deps: SandboxProviderDeps): SandboxParts => {
  const { dataDir, clock, environment, settings, ids } = deps;
  const root = join(dataDir, 'sandboxes');
  const egress = {
    resolve: async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address),
    isAllowedAddress: outboundAddresses(settings['net.allow']),
  };
  const searchPath = environment['PATH'] ?? USUAL_PATH;
  const own = { ...deps, instance: new InstanceName(root, ids), holder: ids.next() };
  const chosen = settings['sandbox.providers'] ?? {};
  return {
    providers: [new LocalProvider({ root, clock, searchPath, ...egress }), new DemoProvider({ clock })],
    providerKinds: [
      new DockerKind({
        ...own,
        ...egress,
        sockets: engineSockets(chosen['docker'], environment['DOCKER_HOST']),
      }),
      HostedKind.e2b({ ...own, offered: offeredService('e2b', chosen['e2b'], USUAL_E2B) }),
      HostedKind.daytona({ ...own, offered: offeredService('daytona', chosen['daytona'], USUAL_DAYTONA) }),
    ],
  };
};

/** The engines that classes may name: the configured ones, else that of the usual variable, else the usual one. */
const engineSockets = (configured: unknown, host: string | undefined): readonly string[] => {
  const { sockets } = (configured ?? {}) as { readonly sockets?: unknown };
  if (sockets === undefined) return [/^unix:\/\/(\/.+)$/.exec(host ?? '')?.[1] ?? USUAL_SOCKET];
  const isPath = (path: unknown): path is string => typeof path === 'string' && path.startsWith('/');
  if (Array.isArray(sockets) && sockets.length > 0 && sockets.every(isPath)) return sockets;
  throw new Fault('INVALID_ARGUMENT', 'CONFIG_INVALID', `${SOCKETS}: must be a list of absolute paths of Unix sockets`);
};

interface Offered {
  readonly urls: readonly string[];
  readonly env: readonly string[];
}

/** What classes may name of a service: the configured addresses and variables, else the usual ones. */
const offeredService = (name: string, configured: unknown, usual: Offered): Offered => {
  const { urls = usual.urls, env = usual.env } = (configured ?? {}) as Readonly<Record<string, unknown>>;
  const isList = (list: unknown, isWanted: (text: string) => boolean): list is readonly string[] =>
    Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === 'string' && isWanted(text));
  const at = `sandbox.providers.${name}`;
  if (!isList(urls, isServiceUrl))
    throw new Fault('INVALID_ARGUMENT', 'CONFIG_INVALID', `${at}.urls: must be a list of addresses of the service`);
  if (!isList(env, (text) => /^\w+$/.test(text)))
    throw new Fault('INVALID_ARGUMENT', 'CONFIG_INVALID', `${at}.env: must be a list of names of variables`);
  return { urls, env };
};

/** An http address, or a domain. */
const isServiceUrl = (text: string): boolean =>
  /^https?:\/\//.test(text) ? URL.canParse(text) : /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text);
