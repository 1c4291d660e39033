import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configurationValues, loadConfig } from './load-config.ts';
import { faultLine } from './located.ts';
import { faultsOf, load, settingsOf } from './testing/index.ts';

const token = 'b1c2d3e4f5a69788';

describe('sources', () => {
  it('takes the first of --config, SVC_CONFIG, SVC_CONFIG_INLINE, ./svc.*, the user directory, /etc', () => {
    const files: Record<string, string> = {
      '/flag.yaml': 'console: {title: flag}',
      '/env.yaml': 'console: {title: env}',
      '/work/svc.yaml': 'console: {title: yaml}',
      '/work/svc.yml': 'console: {title: yml}',
      '/work/svc.json': '{"console": {"title": "json"}}',
      '/home/u/.config/svc/svc.yaml': 'console: {title: home}',
      '/etc/svc/svc.yaml': 'console: {title: etc}',
    };
    const environment = { SVC_CONFIG: '/env.yaml', SVC_CONFIG_INLINE: 'console: {title: inline}', HOME: '/home/u' };
    const title = (world: Parameters<typeof load>[0]): string => load(world).config.settings['console.title'];
    expect(title({ files, environment, flags: { config: '/flag.yaml' } })).toBe('flag');
    expect(title({ files, environment })).toBe('env');
    expect(title({ files, environment: { ...environment, SVC_CONFIG: '' } })).toBe('inline');
    const rest = { ...files };
    for (const [path, expected] of [
      ['/work/svc.yaml', 'yaml'],
      ['/work/svc.yml', 'yml'],
      ['/work/svc.json', 'json'],
      ['/home/u/.config/svc/svc.yaml', 'home'],
      ['/etc/svc/svc.yaml', 'etc'],
    ] as const) {
      expect(title({ files: rest, environment: { HOME: '/home/u' } })).toBe(expected);
      delete rest[path];
    }
    expect(title({ files: rest })).toBe('svc');
  });

  it('refuses a named file that is missing instead of starting with defaults', () => {
    expect(faultsOf({ flags: { config: 'gone.yaml' } })).toEqual(['gone.yaml: there is no such file']);
  });

  it('reads the real disk when no reader is given', () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-config-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'svc.yaml'), 'dataDir: data\n');
    const loaded = loadConfig({ flags: {}, environment: {}, cwd: directory });
    expect(loaded.config.dataDir).toBe(join(directory, 'data'));
    expect(loaded.config.runtime.concurrency).toBeGreaterThanOrEqual(64);
  });

  it('lays a file over the one it extends: maps merge, lists are replaced, paths start at their own file', () => {
    const settings = settingsOf('extends: base/svc.yaml\nconsole: {title: mine}\nnet: {allow: [b]}', {
      files: {
        '/work/base/svc.yaml':
          'dataDir: ./data\nconsole: {title: base, readOnly: true}\nnet: {allow: [a]}\nmodels: {providers: {x: {type: demo}}}',
      },
    });
    expect(settings.dataDir).toBe('/work/base/data');
    expect(settings['console.title']).toBe('mine');
    expect(settings['console.readOnly']).toBe(true);
    expect(settings['net.allow']).toEqual(['b']);
    expect(Object.keys(settings['models.providers'])).toEqual(['demo', 'x']);
  });

  it('stops a file that extends itself after eight files', () => {
    expect(faultsOf({ files: { '/work/svc.yaml': 'extends: svc.yaml' } })).toEqual([
      'svc.yaml:1:10: extends: files extend each other more than 8 deep',
    ]);
    expect(faultsOf({ files: { '/work/svc.yaml': 'extends: [a]' } })).toEqual([
      'svc.yaml:1:10: extends: must be the path of another file',
    ]);
  });

  it('reports unreadable text, duplicate keys and a root that is no map with their place', () => {
    expect(faultsOf({ files: { '/work/svc.yaml': 'console:\n  title: a\n  title: b' } })[0]).toMatch(
      /^svc\.yaml:3:3: Map keys must be unique/,
    );
    expect(faultsOf({ files: { '/work/svc.yaml': '- a' } })).toEqual([
      'svc.yaml:1:1: a configuration must be a map of keys',
    ]);
    expect(faultsOf({ files: { '/work/svc.yaml': 'a: [' } })[0]).toMatch(/^svc\.yaml:1:/);
    expect(load({ files: { '/work/svc.yaml': '# nothing\n' } }).config.file).toBe('/work/svc.yaml');
  });

  it('reads YAML anchors', () => {
    expect(settingsOf('net: {allow: &hosts [a, b]}\nmcp: {stdioNamespaces: *hosts}')['mcp.stdioNamespaces']).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('texts', () => {
  it('expands variables, with an alternative for unset and empty ones', () => {
    const environment = { NAME: 'acme', EMPTY: '' };
    const yaml = 'console: {title: "${NAME}-${GONE:-x}-${EMPTY:-y}-$${NAME}"}';
    expect(settingsOf(yaml, { environment })['console.title']).toBe('acme-x-y-${NAME}');
  });

  it('refuses an unset variable and a malformed one with their place', () => {
    expect(faultsOf({ files: { '/work/svc.yaml': 'console:\n  title: "a${GONE}"' } })).toContain(
      'svc.yaml:2:10: console.title: environment variable GONE is not set',
    );
    expect(faultsOf({ files: { '/work/svc.yaml': 'net:\n  allow: ["${a b}"]' } })[0]).toBe(
      'svc.yaml:2:11: net.allow[0]: ${a b} is not a variable: write ${NAME} or ${NAME:-text}',
    );
  });

  it('keeps what a variable holds from changing the structure', () => {
    const environment = { EVIL: 'x, readOnly: true' };
    expect(settingsOf('console: {title: "${EVIL}"}', { environment })).toMatchObject({
      'console.title': 'x, readOnly: true',
      'console.readOnly': false,
    });
  });

  it('gives plain numbers the unit in the name of the key, else seconds', () => {
    const settings = settingsOf(
      'server: {drainSeconds: 5}\nidempotency: {hours: 2}\nfiles: {ephemeralDays: 3}\nruntime: {lease: 20, toolTimeout: 1m30s}\nlimits: {requestBytes: 4096}',
    );
    expect(settings['server.drainSeconds']).toBe(5_000);
    expect(settings['idempotency.hours']).toBe(7_200_000);
    expect(settings['files.ephemeralDays']).toBe(3 * 86_400_000);
    expect(settings['runtime.lease']).toBe(20_000);
    expect(settings['runtime.toolTimeout']).toBe(90_000);
    expect(settings['limits.requestBytes']).toBe(4_096);
  });

  it('rounds spans of time to whole milliseconds', () => {
    const settings = settingsOf('namespaces: {graceSeconds: 0.0015}\nruntime: {lease: 10.0004s2.0004s}');
    expect([settings['namespaces.graceSeconds'], settings['runtime.lease']]).toEqual([2, 12_001]);
  });
});

describe('text that is no configuration', () => {
  it.each([
    ['an alias inside its own anchor', 'server: &a {listen: *a}', 'svc.yaml:1:21: alias a cannot be resolved'],
    ['a list of itself', 'net: {allow: &a [x, *a, *a]}', 'svc.yaml:1:21: alias a cannot be resolved'],
    ['an alias without an anchor', 'net: {allow: *a}', 'svc.yaml:1:14: alias a cannot be resolved'],
    ['two documents', 'server: {}\n---\nserver: {}', 'svc.yaml:2:1: a configuration is one document'],
    ['a tab', 'server:\n\tlisten: x', 'svc.yaml:2:1: Tabs are not allowed as indentation'],
  ])('%s is refused with its place', (_what, text, fault) => {
    expect(faultsOf({ files: { '/work/svc.yaml': text } })[0]).toBe(fault);
  });
});

describe('secrets', () => {
  it('come from the environment or a file, without the line feed at its end', () => {
    const files = { '/work/token': `${token}\n` };
    expect(settingsOf('auth: {mode: [token], token: {file: token}}', { files })['auth.token']).toBe(token);
    const environment = { TOKEN: token };
    expect(settingsOf('auth: {mode: [token], token: {env: TOKEN}}', { environment })['auth.token']).toBe(token);
  });

  it.each([
    ['{env: GONE}', 'environment variable GONE is not set'],
    ['{file: gone}', 'file gone is missing or empty'],
    ['{url: x}', 'must be a text, {env: NAME} or {file: path}'],
    ['{env: [x]}', 'must be a text, {env: NAME} or {file: path}'],
    ['short', 'must have at least 16 characters'],
    ['changemechangeme', 'is too easy to guess: choose a random one'],
    ['Change-Me-Change-Me', 'is too easy to guess: choose a random one'],
    ['abababababababababab', 'is too easy to guess: choose a random one'],
  ])('%s is refused without being shown', (written, text) => {
    const faults = faultsOf({ files: { '/work/svc.yaml': `auth:\n  mode: [token]\n  token: ${written}` } });
    expect(faults).toEqual([`svc.yaml:3:10: auth.token: ${text}`]);
  });

  it('are masked in listings, those inside URLs and maps too', () => {
    const yaml = `auth: {mode: [token], token: ${token}}
store: {url: "postgres://svc:hunter2hunter2@db/svc"}
models: {providers: {x: {type: openai-compatible, apiKey: sk-1, headers: {X-Key: sk-2}}}}`;
    const sandboxes = 'sandbox: {providers: {e2b: {key: sk-3, more: [sk-4, 5, null]}}}';
    const text = JSON.stringify(configurationValues(load({ files: { '/work/svc.yaml': `${yaml}\n${sandboxes}` } })));
    expect(text).not.toMatch(/b1c2|hunter2|sk-1|sk-2|sk-3|sk-4/);
    expect(text).toContain('postgres://svc:***@db/svc');
    expect(text).toContain('"more":["***",5,null]');
  });

  it.each([
    ['postgres://svc:hunter%2F2@db:5432/svc?sslmode=require', 'postgres://svc:***@db:5432/svc?sslmode=require'],
    ['postgresql://svc:hunter2@/svc?host=/run/postgresql', 'postgresql://svc:***@/svc?host=/run/postgresql'],
    ['postgres:///svc?host=/run/postgresql', 'postgres:///svc?host=/run/postgresql'],
  ])('are masked in the database %s', (url, shown) => {
    const values = configurationValues(load({ files: { '/work/svc.yaml': `store: {url: "${url}"}` } }));
    expect(values.find(({ key }) => key === 'store.url')?.value).toBe(shown);
  });

  it('are not repeated in a fault, nor those inside URLs and in place of maps and lists', () => {
    for (const [yaml, shown] of [
      ['store: {url: "mysql://svc:hunter2@db/svc"}', 'not "mysql://***@db/svc"'],
      ['bus: {url: "nats:/svc:hunter2@bus"}', 'not "nats:/***@bus"'],
      ['store: {url: "mysql://svc:hunter2/x y\\"z@w@db/svc"}', 'not "mysql://***@db/svc"'],
      ['store: {url: "svc:hunter2/x@db"}', 'not "***@db"'],
      ['store: {url: "postgres://svc:hunter2/x@db/svc"}', 'percent-encoded (%2F for /), not "postgres://***@db/svc"'],
      ['secrets: {keys: hunter2}', 'must be a list, not a single value'],
      ['secrets: {keys: [hunter2]}', 'must be a map, not a single value'],
      ['models: {providers: {x: {type: openai, headers: hunter2}}}', 'must be a map, not a single value'],
    ] as const) {
      const text = faultsOf({ files: { '/work/svc.yaml': yaml } }).join();
      expect(text).toContain(shown);
      expect(text).not.toContain('hunter2');
    }
  });
});

describe('unknown keys', () => {
  it('warn with the nearest key, so that an older file still starts', () => {
    const loaded = load({ files: { '/work/svc.yaml': 'server:\n  lisen: 127.0.0.1:1\nwhatever: 1' } });
    expect(loaded.warnings.map(faultLine)).toEqual([
      'svc.yaml:2:3: server.lisen: unknown key, did you mean server.listen',
      'svc.yaml:3:1: whatever: unknown key',
    ]);
  });

  it('stop the start in the sections that guard access and data', () => {
    const yaml = 'auth: {tokn: x}\nstore: {ulr: x}\nbus: {u: x}\nobjects: {bukket: x}\nsecrets: {key: x}';
    expect(faultsOf({ files: { '/work/svc.yaml': yaml } }).map((line) => line.split(': ')[1])).toEqual([
      'auth.tokn',
      'store.ulr',
      'bus.u',
      'objects.bukket',
      'secrets.key',
    ]);
  });

  it('are refused inside a provider, and a section must be a map', () => {
    expect(faultsOf({ files: { '/work/svc.yaml': 'models:\n  providers:\n    x: {type: demo, apikey: k}' } })).toEqual([
      'svc.yaml:3:21: models.providers.x.apikey: unknown key, did you mean apiKey',
    ]);
    expect(faultsOf({ files: { '/work/svc.yaml': 'server: yes' } })).toEqual([
      'svc.yaml:1:9: server: must be a map of keys',
    ]);
  });

  it('are reported for variables close to a key, and refused for flags', () => {
    const environment = { SVC_SERVER_LISTN: 'x', SVC_CONNECTOR_SLACK_TOKEN: 'x', SVC_TOKEN: 'x' };
    expect(load({ environment }).warnings.map(faultLine)).toEqual([
      'SVC_SERVER_LISTN: unknown variable, did you mean SVC_SERVER_LISTEN',
    ]);
    expect(faultsOf({ environment: { SVC_AUTH_TOKN: 'x' } })).toEqual([
      'SVC_AUTH_TOKN: unknown variable, did you mean SVC_AUTH_TOKEN',
    ]);
    expect(faultsOf({ flags: { 'server.lisen': 'x' } })).toEqual(['flag server.lisen: names no setting']);
  });
});

describe('the result', () => {
  it('is frozen and sorted into the sections of the parts', () => {
    const { config } = load();
    expect(Object.isFrozen(config.transport)).toBe(true);
    expect(Object.isFrozen(config.settings['server.roles'])).toBe(true);
    expect(config.transport).toMatchObject({
      host: '127.0.0.1',
      port: 7420,
      loopbackOnly: true,
      drainMs: 30_000,
      corsOrigins: [],
    });
    expect(config.runtime).toMatchObject({ leaseMs: 10_000, sweepMs: 1_000, concurrency: 4_096, historySeconds: 600 });
    expect(config.models.breaker).toEqual({ failures: 5, withinMs: 30_000, openMs: 15_000 });
    expect(config.models.providers).toEqual({ demo: { type: 'demo' } });
    expect(config.store).toEqual({
      engine: 'sqlite',
      poolSize: 10,
      sync: 'full',
      busyTimeoutMs: 5_000,
      migrate: 'auto',
    });
    expect(config.auth).toEqual({ modes: ['none'], failureLimit: 20 });
    expect(config.publicUrl).toBe('http://127.0.0.1:7420');
    expect(config.telemetry).toEqual({ logLevel: 'info', logFormat: 'json', captureContent: false });
  });

  it('has every section that the file asks for', () => {
    const yaml = `server: {listen: ":8443", tls: {cert: c.pem, key: k.pem}}
auth:
  mode: [token, password, jwt, jwks]
  token: ${token}
  password: q8w7e6r5t4z3u2i1
  jwt: {secret: m1n2b3v4c5x6y7l8}
  jwks: {url: "https://id.test/keys", issuer: "https://id.test"}
store: {url: "postgres://db/svc"}
bus: {url: "nats://bus"}
models: {default: demo/echo, breaker: {failures: 9}}
telemetry: {otlpEndpoint: "http://otel:4318"}`;
    const { config } = load({ files: { '/work/svc.yaml': yaml }, isTerminal: true });
    expect(config.transport).toMatchObject({
      host: '0.0.0.0',
      port: 8443,
      loopbackOnly: false,
    });
    expect(config.tls).toEqual({ cert: '/work/c.pem', key: '/work/k.pem' });
    expect(config.auth.jwks).toMatchObject({ url: 'https://id.test/keys', issuer: 'https://id.test', audience: 'svc' });
    expect(config.auth.jwt).toEqual({ secret: 'm1n2b3v4c5x6y7l8', audience: 'svc', defaultGrants: [] });
    expect(config.store).toMatchObject({ engine: 'postgres', url: 'postgres://db/svc' });
    expect(config.runtime.sweepMs).toBe(2_000);
    expect(config.models).toMatchObject({
      default: 'demo/echo',
      breaker: { failures: 9, withinMs: 30_000, openMs: 15_000 },
    });
    expect(config.telemetry).toMatchObject({ logFormat: 'text', otlpEndpoint: 'http://otel:4318' });
    expect(config.publicUrl).toBe('https://localhost:8443');
    expect(config.settings['connectors.envAllow']).toEqual(['CONNECTOR_*', 'SVC_CONNECTOR_*']);
  });

  it('has the providers whose keys the environment holds, beside demo', () => {
    const environment = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', GOOGLE_GENERATIVE_AI_API_KEY: '' };
    const yaml = 'models: {providers: {anthropic: {type: anthropic, baseUrl: "https://proxy.test"}}}';
    expect(settingsOf(yaml, { environment })['models.providers']).toEqual({
      demo: { type: 'demo' },
      anthropic: { type: 'anthropic', baseUrl: 'https://proxy.test', apiKey: 'a' },
      openai: { type: 'openai', apiKey: 'o' },
    });
  });

  it('keeps concurrency between 64 and 10,000 turns, by memory', () => {
    expect(load({ memoryBytes: 1 }).config.runtime.concurrency).toBe(64);
    expect(load({ memoryBytes: 1024 ** 5 }).config.runtime.concurrency).toBe(10_000);
  });

  it('takes three quarters of the open files for connections, and a quarter of those for one address', () => {
    const limits = (openFiles: number | undefined, limit?: string): readonly number[] => {
      const flags = limit === undefined ? {} : { 'limits.connections': limit };
      const { transport } = load({ ...(openFiles === undefined ? {} : { openFiles }), flags }).config;
      return [transport.connections, transport.connectionsPerAddress];
    };
    expect(limits(1024)).toEqual([768, 192]);
    expect(limits(20_000)).toEqual([15_000, 3750]);
    expect(limits(1_048_576)).toEqual([100_000, 25_000]);
    expect(limits(undefined)).toEqual([3072, 768]);
    expect(limits(1024, '100')).toEqual([100, 25]);
  });

  it('shows every value with its source in the form in which one writes it', () => {
    const rows = configurationValues(
      load({ files: { '/work/svc.yaml': 'runtime: {lease: 20}' }, environment: { SVC_LIMITS_REQUEST_BYTES: '9MiB' } }),
    );
    const row = (key: string): unknown => rows.find((candidate) => candidate.key === key);
    expect(row('runtime.lease')).toEqual({
      key: 'runtime.lease',
      value: '20s',
      source: 'file',
      label: 'svc.yaml:1:18',
    });
    expect(row('limits.requestBytes')).toMatchObject({
      value: '9MiB',
      source: 'environment',
      label: 'SVC_LIMITS_REQUEST_BYTES',
    });
    expect(row('server.drainSeconds')).toMatchObject({ value: 30, source: 'default', label: '' });
    expect(row('auth.token')).toMatchObject({ value: null });
  });
});
