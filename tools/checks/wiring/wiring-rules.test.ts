import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSources } from '../source-files.ts';
import { findWiringViolations, wiringLines } from './wiring-rules.ts';

const sources = loadSources(fileURLToPath(new URL('../../..', import.meta.url)));
const path = 'packages/server/src/app/wiring/features.ts';

const judge = (line: string, at = path): readonly string[] => findWiringViolations([{ path: at, text: `${line}\n` }]);

describe('app/wiring', () => {
  it('is found, is a list and stays small', () => {
    expect(sources.map((file) => file.path)).toContain(path);
    expect(findWiringViolations(sources)).toEqual([]);
  });
});

describe('the rules of app/wiring', () => {
  it.each([
    'if (settings.isOn) parts.push(files);',
    'for (const turn of started) stop(turn);',
    'while (rows === 500) await trim();',
    'switch (engine) {',
    'try { await open(); } finally { close(); }',
    "throw new Error('not wired yet');",
    "const store = engine === 'sqlite' ? openSqlite() : openPostgres();",
    "const url = config.url ?? 'none';",
    'const isOpen = a || b;',
    'const isOpen = a && b;',
    'let runtime;',
    'class Parts {}',
    'export const seconds = settings.grace / 1000;',
    'await store.write((each) => each.log.insertTurn(row));',
    'const row = await tx.log.session(id);',
    'const value = await host.store.direct.instance.value(name);',
  ])('refuse %s', (line) => {
    expect(judge(line)).not.toEqual([]);
  });

  it.each([
    '// if that fails, for example while it starts, throw a fault: a ? b : c',
    "const text = 'if (a) b ?? c';",
    'export interface Needs { readonly port?: number }',
    'const files = filesModule({ ...host, baseUrl: () => clientUrl(config, port()) });',
    'const opened = await openEngines(config, around);',
    'store.ping();',
    '  readonly find: (tx: Tx) => Promise<void>;',
    'const form = { read: store, write: store };',
    'format(host);',
  ])('accept %s', (line) => {
    expect(judge(line)).toEqual([]);
  });

  it('name the line and what it holds', () => {
    expect(judge('const a = 1;\nconst b = a ?? 2;')).toEqual([
      `${path}:2 holds a value that depends on another one: the list only names parts`,
    ]);
  });

  it('leave other folders and tests alone', () => {
    expect(judge('if (a) b();', 'packages/server/src/app/engines/index.ts')).toEqual([]);
    expect(judge('if (a) b();', 'packages/server/src/app/wiring/features.test.ts')).toEqual([]);
  });

  it('count the lines of all files together', () => {
    const half = 'const part = 1;\n'.repeat(wiringLines / 2);
    const files = [{ path, text: half }];
    expect(findWiringViolations([...files, { path: path.replace('features', 'host'), text: half }])).toEqual([]);
    expect(findWiringViolations([...files, { path: path.replace('features', 'host'), text: `${half}x;\n` }])).toEqual([
      expect.stringContaining('has 601 lines, allowed are 600'),
    ]);
  });
});
