import type { ServerModule } from '../host.ts';

class FakeConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly warnings: readonly object[];
  constructor(message: string, warnings: readonly object[]) {
    super(message);
    this.warnings = warnings;
  }
}

interface Facts {
  readonly url?: string;
  readonly startError?: Error;
  /** Why the data directory cannot be used. */
  readonly holdError?: Error;
  readonly configError?: string;
  readonly warnings?: readonly object[];
  /** A store of this machine; there is none unless it says so. */
  readonly upkeep?: object;
  readonly providers?: object;
  readonly secretKeys?: readonly object[];
  readonly origins?: readonly string[];
  readonly defaultModel?: { readonly provider: string; readonly model: string };
}

/** The server package as the commands see it, with what they passed to it. */
export const fakeServerModule = (
  facts: Facts = {},
): { readonly module: Partial<ServerModule>; readonly started: { flags?: object }[]; readonly events: string[] } => {
  const started: { flags?: object }[] = [];
  const events: string[] = [];
  const config = {
    file: '/work/svc.yaml',
    dataDir: '/work/svc-data',
    transport: { host: '127.0.0.1', port: 7420 },
    models: { providers: facts.providers ?? { demo: { type: 'demo' } } },
    settings: { 'console.enabled': true, 'secrets.keys': facts.secretKeys ?? [] },
  };
  const module = {
    ConfigError: FakeConfigError,
    isFault: (error: unknown) => error instanceof Error && 'reason' in error,
    loadConfig: (options: { flags: Readonly<Record<string, string | undefined>> }) => {
      if (facts.configError !== undefined) throw new FakeConfigError(facts.configError, facts.warnings ?? []);
      const file = options.flags['config'] ?? config.file;
      return {
        config: { ...config, file },
        warnings: facts.warnings ?? [],
        origins: new Map((facts.origins ?? []).map((key) => [key, {}])),
      };
    },
    holdDataDirectory: (dataDir: string) => {
      if (facts.holdError !== undefined) throw facts.holdError;
      events.push(`hold ${dataDir}`);
      return { release: () => void events.push('release') };
    },
    openUpkeep: () => (facts.upkeep ?? { hasStore: () => false }) as never,
    configurationValues: () => [
      { key: 'server.listen', value: '127.0.0.1:1', source: 'file', label: 'svc.yaml:1:2' },
      { key: 'auth.token', value: null, source: 'default', label: '' },
      { key: 'server.roles', value: ['gateway'], source: 'environment', label: 'SVC_SERVER_ROLES' },
    ],
    startServer: (options: { flags?: object; onWarning?: (warning: object) => void }) => {
      started.push(options);
      for (const warning of facts.warnings ?? []) options.onWarning?.(warning);
      if (facts.startError !== undefined) return Promise.reject(facts.startError);
      events.push('start');
      const defaultModel = facts.defaultModel ?? { provider: 'demo', model: 'echo' };
      const close = () => Promise.resolve(void events.push('close'));
      return Promise.resolve({ url: facts.url ?? 'http://127.0.0.1:7420', config, defaultModel, close });
    },
    serveUntilSignal: (_server: object, options: { onStopping?: (stopping: object) => void }) => {
      events.push('serve');
      options.onStopping?.({ turns: 2, streams: 1, drainMs: 30_000 });
      return Promise.resolve();
    },
  };
  return { module: module as unknown as Partial<ServerModule>, started, events };
};
