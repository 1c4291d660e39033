import { describe, expect, it } from 'vitest';
import { packageName, resolveRelative, scanImports } from './imports.ts';

describe('scanImports', () => {
  it.each([
    ["import { a } from './a.ts';", 'value'],
    ["import {\n  a,\n  type B,\n} from './a.ts';", 'value'],
    ["import * as all from './a.ts';", 'value'],
    ["import './a.ts';", 'value'],
    ["import type from './a.ts';", 'value'],
    ["export * from './a.ts';", 'value'],
    ["export { a } from './a.ts';", 'value'],
    ["import type { A } from './a.ts';", 'type'],
    ["export type { A } from './a.ts';", 'type'],
    ["export type * from './a.ts';", 'type'],
    ["const a = await import('./a.ts');", 'dynamic'],
    ["const text = `${await import('./a.ts')}`;", 'dynamic'],
    ["const quote = /['\"`]/; import { a } from './a.ts';", 'value'],
    ["const half = 1 / 2; import { a } from './a.ts'; // a / b", 'value'],
  ])('reads %j as %s', (text, kind) => {
    expect(scanImports(text)).toEqual([{ specifier: './a.ts', kind }]);
  });

  it.each([
    "// import { a } from './a.ts';",
    "/* import './a.ts'; */",
    'const code = "import { a } from \'./a.ts\'";',
    "const code = `\nimport { a } from './a.ts';\n`;",
    "const nested = `${`import './a.ts'`}`;",
    "export const from = './a.ts';",
    "export type Name = 'from' | './a.ts';",
    'const unfinished = `text',
  ])('finds nothing in %j', (text) => {
    expect(scanImports(text)).toEqual([]);
  });

  it('keeps the order and goes on after a template', () => {
    const text = "import a from 'a';\nconst t = `${{ b: 1 }.b} }`;\nimport b from '@x/b/c';\n";
    expect(scanImports(text).map((statement) => statement.specifier)).toEqual(['a', '@x/b/c']);
  });
});

describe('specifiers', () => {
  it('resolve against the importing file', () => {
    expect(resolveRelative('packages/server/src/auth/a.ts', '../base/index.ts')).toBe(
      'packages/server/src/base/index.ts',
    );
    expect(resolveRelative('packages/server/src/auth/a.ts', 'pino')).toBeUndefined();
  });

  it('name their package without the sub-path', () => {
    expect(packageName('@svc/api/gateway')).toBe('@svc/api');
    expect(packageName('undici/types')).toBe('undici');
  });
});
