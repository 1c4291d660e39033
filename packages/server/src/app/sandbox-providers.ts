import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import type { Clock } from '../base/index.ts';
import { DemoProvider, LocalProvider, type SandboxProvider } from '../sandbox/index.ts';
import { outboundAddresses } from './outbound/index.ts';

interface SandboxProviderDeps {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: { readonly 'net.allow': readonly string[] };
}

/** Where programs usually are, for a process without PATH. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Every provider of sandboxes of this process; which of them works is found out when a class names it. */
export const sandboxProviders = (deps: SandboxProviderDeps): readonly SandboxProvider[] => {
  const { dataDir, clock, environment, settings } = deps;
  return [
    new LocalProvider({
      root: join(dataDir, 'sandboxes'),
      clock,
      searchPath: environment['PATH'] ?? USUAL_PATH,
      resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
      isAllowedAddress: outboundAddresses(settings['net.allow']),
    }),
    new DemoProvider({ clock }),
  ];
};
