import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { type Clock, Fault, type Ids, type Log } from '../base/index.ts';
import {
  DemoProvider,
  DockerKind,
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

/** Every provider of sandboxes of this process; which of them works is found out when a class names it. */
export const sandboxProviders = (deps: SandboxProviderDeps): SandboxParts => {
  const { dataDir, clock, environment, settings, ids, log } = deps;
  const root = join(dataDir, 'sandboxes');
  const egress = {
    resolve: async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address),
    isAllowedAddress: outboundAddresses(settings['net.allow']),
  };
  const searchPath = environment['PATH'] ?? USUAL_PATH;
  return {
    providers: [new LocalProvider({ root, clock, searchPath, ...egress }), new DemoProvider({ clock })],
    providerKinds: [
      new DockerKind({
        clock,
        log,
        instance: new InstanceName(root, ids),
        holder: ids.next(),
        sockets: engineSockets(settings['sandbox.providers']?.['docker'], environment['DOCKER_HOST']),
        ...egress,
      }),
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
