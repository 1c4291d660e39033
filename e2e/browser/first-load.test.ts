// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

/** Bytes on the wire, as gzip, of everything that the first page loads of the console. */
const BUDGET = 320 * 1024;

it('a first visit loads at most 320 KB of the console', async () => {
  await using tab = await instance.tab('guest');
  tab.watcher.expect(/status of 401/);
  const loaded = new Set<string>();
  tab.page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === '/' || pathname.startsWith('/assets/')) loaded.add(pathname);
  });
  await tab.open('/');
  await tab.page.getByRole('button', { name: 'Sign in' }).waitFor();
  const sizes = await Promise.all([...loaded].map(async (path) => [path, await sizeOf(path)] as const));
  expect(loaded.size).toBeGreaterThan(2);
  const sum = sizes.reduce((total, [, size]) => total + size, 0);
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(BUDGET);
});

const sizeOf = async (path: string): Promise<number> => {
  const answer = await fetch(instance.url + path, { headers: { accept: 'text/html', 'accept-encoding': 'gzip' } });
  await answer.body?.cancel();
  return Number(answer.headers.get('content-length'));
};
