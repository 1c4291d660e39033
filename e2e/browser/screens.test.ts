// @service chromium
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShopInstance, type Tab, takePicture } from './harness/index.ts';
import { screens } from './screens.ts';

const instance = ShopInstance.ofSuite();

/** Bytes on the wire, as gzip, of everything that the first page loads of the console. */
const BUDGET = 320 * 1024;

let admin: Tab;
let viewer: Tab;
beforeAll(async () => {
  admin = await instance.tab('admin');
  viewer = await instance.tab('viewer');
  await viewer.open('/');
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await viewer[Symbol.asyncDispose]();
});

describe.each(screens)('the screen $name', ({ name, address, shows, refused }) => {
  it('shows what it is for at its own address, and everyone can use it, in light, in dark and on a phone', async () => {
    await admin.look({});
    await admin.open(address(instance.seeded));
    await admin.page.getByText(shows).filter({ visible: true }).first().waitFor();
    expect(admin.watcher.take()).toEqual([]);
    await takePicture(admin.page, `${name}-light`);
    expect(await admin.accessibilityFaults()).toEqual([]);
    await admin.look({ colorScheme: 'dark' });
    await takePicture(admin.page, `${name}-dark`);
    expect(await admin.accessibilityFaults('colours')).toEqual([]);
    await admin.look({ isPhone: true });
    await takePicture(admin.page, `${name}-phone`);
    expect([await admin.isTooWide(), await admin.accessibilityFaults()]).toEqual([false, []]);
  });

  it('shows it to a viewer who came from another one', async () => {
    if (refused !== undefined) viewer.watcher.expect(new RegExp(`status of 403 .*${refused}`));
    await viewer.follow(address(instance.seeded));
    await viewer.page.getByText(shows).filter({ visible: true }).first().waitFor();
    expect(viewer.watcher.take()).toEqual([]);
  });
});

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

it('the scripts of a first visit ask to be compiled while they arrive', async () => {
  const read = async (path: string): Promise<string> =>
    (await fetch(instance.url + path, { headers: { accept: 'text/html' } })).text();
  const paths = [...(await read('/')).matchAll(/="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  // That of the bundler is a few lines.
  const own = paths.filter((path) => !path.includes('rolldown-runtime'));
  expect(own.length).toBeGreaterThan(2);
  const first = await Promise.all(own.map(async (path) => (await read(path)).split('\n')[0]));
  expect(new Set(first)).toEqual(new Set(['//# allFunctionsCalledOnLoad']));
});

const sizeOf = async (path: string): Promise<number> => {
  const answer = await fetch(instance.url + path, { headers: { accept: 'text/html', 'accept-encoding': 'gzip' } });
  await answer.body?.cancel();
  return Number(answer.headers.get('content-length'));
};

it('a person without a credential signs in where they came, and everyone can use the form', async () => {
  await using tab = await instance.tab('guest');
  tab.watcher.expect(/status of 401/);
  await tab.open('/ns/shop/resources/Agent');
  expect(await tab.accessibilityFaults()).toEqual([]);
  const secret = tab.page.locator('input[type=password]');
  await secret.fill('not-the-token-of-this-server');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByText('CREDENTIALS_INVALID').waitFor();
  await secret.fill(instance.adminToken);
  await tab.page.keyboard.press('Enter');
  await tab.page.getByText('bookworm').or(tab.page.getByText('support')).first().waitFor();
  expect([tab.address, tab.watcher.take()]).toEqual(['/ns/shop/resources/Agent', []]);
});
