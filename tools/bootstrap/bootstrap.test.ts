import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { missingPlatformEntries } from './complete-lock.mjs';
import { hasDevelopmentPackages, packagesAreCurrent, root } from './install.mjs';
import { declaredServices, installServices, listTests, locate, provideServices } from './services.mjs';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-bootstrap-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

interface Entry {
  readonly version?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly resolved?: string;
  readonly link?: boolean;
}

type Packages = Readonly<Record<string, Entry>>;

function writeLocks(wanted: Packages, installed?: Packages | string): void {
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  if (installed === undefined) return;
  mkdirSync(join(directory, 'node_modules'), { recursive: true });
  const text = typeof installed === 'string' ? installed : JSON.stringify({ packages: installed });
  writeFileSync(join(directory, 'node_modules', '.package-lock.json'), text);
}

describe('packagesAreCurrent', () => {
  const wanted: Packages = {
    '': { version: '1.0.0' },
    'packages/api': { version: '0.1.0' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/only-elsewhere': { version: '2.0.0', optional: true },
  };

  it('accepts what was installed from the same lock file, without packages for other platforms', () => {
    writeLocks(wanted, { 'node_modules/a': { version: '1.0.0' } });
    expect(packagesAreCurrent(directory)).toBe(true);
  });

  it('misses packages on a new checkout, after a change of the lock file and after an interrupted install', () => {
    writeLocks(wanted);
    expect(packagesAreCurrent(directory)).toBe(false);
    writeLocks(wanted, { 'node_modules/a': { version: '0.9.0' } });
    expect(packagesAreCurrent(directory)).toBe(false);
    writeLocks(wanted, {});
    expect(packagesAreCurrent(directory)).toBe(false);
    writeLocks(wanted, '{"packages": {');
    expect(packagesAreCurrent(directory)).toBe(false);
  });

  it('does without what only checks need where nothing else is asked for', () => {
    const a = { 'node_modules/a': { version: '1.0.0' } };
    const tool = { 'node_modules/tool': { version: '3.0.0', dev: true } };
    const both = { 'node_modules/both': { version: '4.0.0', devOptional: true } };
    writeLocks({ ...wanted, ...tool, ...both }, a);
    expect(packagesAreCurrent(directory, { withDevelopment: false })).toBe(true);
    expect(packagesAreCurrent(directory)).toBe(false);
    writeLocks({ ...wanted, ...tool, ...both }, { ...a, ...tool });
    expect(packagesAreCurrent(directory)).toBe(false);
    writeLocks({ ...wanted, ...tool, ...both }, { ...a, ...tool, ...both });
    expect(packagesAreCurrent(directory)).toBe(true);
    expect(packagesAreCurrent(directory, { withDevelopment: false })).toBe(true);
    writeLocks({ ...wanted, ...tool }, tool);
    expect(packagesAreCurrent(directory, { withDevelopment: false })).toBe(false);
    writeLocks({ ...wanted, ...both }, { ...a, 'node_modules/both': { version: '3.9.0' } });
    expect(packagesAreCurrent(directory, { withDevelopment: false })).toBe(false);
  });

  it('knows an install with what checks need, which a start must not reduce', () => {
    const a = { 'node_modules/a': { version: '1.0.0' } };
    writeLocks(wanted);
    expect(hasDevelopmentPackages(directory)).toBe(false);
    writeLocks(wanted, a);
    expect(hasDevelopmentPackages(directory)).toBe(false);
    writeLocks(wanted, { ...a, 'node_modules/tool': { version: '3.0.0', dev: true } });
    expect(hasDevelopmentPackages(directory)).toBe(true);
  });

  it('asks for the lock file when it is gone', () => {
    writeLocks(wanted, {});
    rmSync(join(directory, 'package-lock.json'));
    expect(() => packagesAreCurrent(directory)).toThrow('restore it from git');
  });
});

describe('package-lock.json', () => {
  it('lists the optional packages of every platform (else: node tools/bootstrap/complete-lock.mjs)', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    expect(missingPlatformEntries(lock.packages)).toEqual({});
  });

  it('gets entries that name their platform', () => {
    const packages = {
      'node_modules/tool': {
        optionalDependencies: { '@tool/linux-x64': '1.2.3', '@tool/win32-aarch64': '1.2.3' },
        dev: true,
      },
      'node_modules/@tool/linux-x64': { version: '1.2.3' },
    };
    expect(missingPlatformEntries(packages)).toEqual({
      'node_modules/@tool/win32-aarch64': {
        version: '1.2.3',
        cpu: ['arm64'],
        dev: true,
        optional: true,
        os: ['win32'],
      },
    });
  });

  it('gets no entry for a package of unknown platform or version', () => {
    const naming = (name: string, version: string) => ({
      'node_modules/tool': { optionalDependencies: { [name]: version } },
    });
    expect(() => missingPlatformEntries(naming('fast-path', '1.2.3'))).toThrow('fast-path@1.2.3');
    expect(() => missingPlatformEntries(naming('@tool/win32-x64', '^1.2.3'))).toThrow('@tool/win32-x64@^1.2.3');
  });
});

describe('services', () => {
  const postgres = { name: 'postgresql', commands: ['postgres'], folders: [] as string[], aptPackage: 'postgresql' };

  function placeCommand(folder: string): string {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'postgres'), '');
    chmodSync(join(folder, 'postgres'), 0o755);
    return join(folder, 'postgres');
  }

  it('are read from comment lines only, each once', () => {
    const sources = [
      '// @service nats\n',
      "/**\n * @service postgresql\n */\n// @service nats\nconst a = '@service no';\n",
    ];
    expect(declaredServices(sources)).toEqual(['nats', 'postgresql']);
  });

  it('must be in the table', () => {
    expect(() => declaredServices(['// @service oracle\n'])).toThrow('"oracle"');
  });

  it('are found on the search path', () => {
    const path = placeCommand(join(directory, 'bin'));
    expect(locate(postgres, join(directory, 'bin'))).toBe(path);
    expect(locate(postgres, directory)).toBeUndefined();
  });

  it('are found in the newest of their versioned folders', () => {
    placeCommand(join(directory, '15', 'bin'));
    const newest = placeCommand(join(directory, '17', 'bin'));
    expect(locate({ ...postgres, folders: [`${directory}/*/bin`] }, '')).toBe(newest);
  });

  it('are passed over where their version is another one', () => {
    const answering = (folder: string, answer: string): string => {
      writeFileSync(placeCommand(join(directory, folder)), `#!/bin/sh\n${answer}\n`);
      return join(directory, folder);
    };
    const folders = [
      answering('new', 'echo v22.1.0'),
      answering('broken', 'exit 1'),
      answering('right', 'echo v20.2.0'),
    ];
    const twenty = { ...postgres, version: /^v20\./ };
    expect(locate(twenty, folders.join(delimiter))).toBe(join(directory, 'right', 'postgres'));
    expect(locate(twenty, folders.slice(0, 2).join(delimiter))).toBeUndefined();
  });

  it('are missing, with advice, where they are not found', () => {
    const file = join(directory, 'a.test.ts');
    writeFileSync(file, '// @service node20\n');
    vi.stubEnv('PATH', directory);
    expect(provideServices([file], { mayInstall: true })).toEqual({
      found: {},
      missing: [{ name: 'node20', advice: expect.stringContaining('Node.js 20') }],
    });
  });

  /** Puts an apt on the path that installs nothing. Returns the path of the file in which it writes down its parameters. */
  const fakeApt = (knows = 'true'): string => {
    const asked = join(directory, 'asked');
    const place = (name: string, script: string): void =>
      writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    place('apt-get', `echo "$*" >> ${asked}`);
    place('apt-cache', knows);
    place('sudo', 'shift; exec "$@"');
    vi.stubEnv('PATH', directory);
    return asked;
  };

  it('are installed while npm works, for all tests of the checkout and of no package', async () => {
    const write = (path: string, service: string): string => {
      const file = join(directory, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `// @service ${service}\n`);
      return file;
    };
    const ours = [
      write('packages/server/src/store/a.test.ts', 'zsh'),
      write('e2e/b.test.ts', 'fish'),
      write('tools/checks/c.test.ts', 'protoc'),
    ];
    write('packages/server/node_modules/other/d.test.ts', 'nats');
    write('e2e/e.ts', 'bubblewrap');
    expect(listTests(directory).sort()).toEqual(ours.sort());
    const asked = fakeApt();
    vi.stubEnv('CI', 'true');
    await installServices(directory);
    expect(readFileSync(asked, 'utf8').trim().split('\n')).toEqual([
      'update --quiet',
      'install --yes --no-install-recommends protobuf-compiler zsh fish',
    ]);
    rmSync(asked);
    vi.stubEnv('CI', 'false');
    await installServices(directory);
    expect(existsSync(asked)).toBe(false);
  });

  it.each([
    ['true', 'chromium-headless-shell'],
    ['test "$2" != chromium-headless-shell', 'chromium'],
  ])('are installed together, by a name that apt knows (%s)', (knows, browser) => {
    const asked = fakeApt(knows);
    const file = join(directory, 'a.test.ts');
    writeFileSync(file, '// @service chromium\n// @service zsh\n');
    const { missing } = provideServices([file], { mayInstall: true });
    expect(readFileSync(asked, 'utf8').trim().split('\n')).toEqual([
      'update --quiet',
      `install --yes --no-install-recommends ${browser} zsh`,
    ]);
    expect(missing).toEqual([
      { name: 'chromium', advice: 'apt-get install chromium-headless-shell (or chromium)' },
      { name: 'zsh', advice: 'apt-get install zsh' },
    ]);
  });

  it.each([
    ['e2e/packed-client.test.ts', 'chromium'],
    ['packages/cli/src/node-version.test.ts', undefined],
  ])('are named by %s, which skips without an older Node.js', (file, other) => {
    const source = readFileSync(join(root, file), 'utf8');
    expect(declaredServices([source])).toEqual([...(other === undefined ? [] : [other]), 'node20']);
  });

  it('are not asked for when no test declares any', () => {
    const file = join(directory, 'a.test.ts');
    writeFileSync(file, 'export const nothing = 1;\n');
    expect(provideServices([file], { mayInstall: false })).toEqual({ found: {}, missing: [] });
  });
});
