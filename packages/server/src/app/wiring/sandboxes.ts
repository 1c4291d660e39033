import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { DemoProvider, LocalProvider, type SandboxProvider } from '../../sandbox/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from '../engines/index.ts';
import { outboundAddresses } from '../outbound/index.ts';
import type { Host } from './host.ts';

/** Every provider of sandboxes of this process; which of them works is found out when a class names it. */
export const wireSandboxProviders = (config: Config, engines: Engines, host: Host): readonly SandboxProvider[] => {
  const { clock, settings } = host;
  return [
    new LocalProvider({
      root: join(config.dataDir, 'sandboxes'),
      clock,
      searchPath: engines.environment['PATH'] ?? '',
      resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
      isAllowedAddress: outboundAddresses(settings['net.allow']),
    }),
    new DemoProvider({ clock }),
  ];
};
