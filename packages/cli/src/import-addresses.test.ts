import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const urlOf = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Loads modules, asking both Node and the hook for every import, and prints what came of it. */
const comparing = (...modules: readonly string[]): string => `
  import module from 'node:module';
  import { resolveImport } from ${urlOf('../bin/import-addresses.mjs')};
  module.enableCompileCache();
  const counts = { imports: 0, asked: 0, required: 0 };
  const wrong = [];
  module.registerHooks({
    resolve: (specifier, context, next) => {
      const expected = next(specifier, context);
      const told = resolveImport(specifier, context, () => {
        counts.asked += 1;
        return expected;
      });
      counts[context.conditions.includes('import') ? 'imports' : 'required'] += 1;
      const { url, format = expected.format } = told;
      if (url !== expected.url || format !== expected.format) wrong.push({ specifier, from: context.parentURL, told, expected });
      return expected;
    },
  });
  for (const url of [${modules.map(urlOf).join(', ')}]) await import(url);
  process.stdout.write(JSON.stringify({ ...counts, wrong }));`;

it('every import of a server and of commands leads where Node says, and few are asked for', {
  timeout: 120_000,
}, async () => {
  const modules = ['../../server/src/main.ts', './program/index.ts', './kinds/index.ts', './manifests/index.ts'];
  const postgres = '../../server/src/store/postgres/index.ts';
  const script = comparing(...modules, postgres);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  const { imports, asked, required, wrong } = JSON.parse(out);
  expect(wrong).toEqual([]);
  expect(imports).toBeGreaterThan(2_000);
  expect(required).toBeGreaterThan(0);
  expect((asked - required) / imports).toBeLessThan(0.1);
});

it('a file that is not there is named by the failure', async () => {
  const script = `
    import module from 'node:module';
    import { resolveImport } from ${urlOf('../bin/import-addresses.mjs')};
    module.registerHooks({ resolve: resolveImport });
    await import('./program/absent.ts');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).toBe(1);
  expect(err).toMatch(/ENOENT.*program\/absent\.ts/);
});
