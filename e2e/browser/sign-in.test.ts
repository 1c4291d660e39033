// @service chromium
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { ServerProcess } from '../server-process/index.ts';
import { accessibilityFaults } from './harness/index.ts';
import { OpenIdProvider } from './provider/index.ts';

let browser: Browser;
let provider: OpenIdProvider;
let server: ServerProcess;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  provider = await OpenIdProvider.open();
  server = await ServerProcess.start({ environment: { ...provider.environment, SVC_AUTH_MODE: 'jwks' } });
  provider.origin = server.url;
  browser = await chromium.connect(inject('browserEndpoint'));
});
afterAll(async () => {
  await browser?.close();
  for (const part of [server, provider]) await part?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  provider.refusal = undefined;
  context = await browser.newContext();
  page = await context.newPage();
  return () => context.close();
});

const signIn = () => page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1:/ });

it('leads to the provider and back to where the person was, and keeps nothing of it in the address', async () => {
  await page.goto(`${server.url}/ns/default/agents?q=porter`);
  await signIn().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await signIn().click();
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  expect(page.url()).toBe(`${server.url}/ns/default/agents?q=porter`);
  await page.getByText(/^ann \(admin\)$/).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('svc.cred')))).toEqual([]);

  await page.reload();
  await page.getByText(/^ann \(admin\)$/).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn().waitFor();
});

it('says why the provider refused, and lets the person try again', async () => {
  provider.refusal = 'Ann may not come in today';
  await page.goto(server.url);
  await signIn().click();
  await page.getByText('Ann may not come in today (access_denied)').waitFor();
  expect(page.url()).toBe(`${server.url}/`);
  provider.refusal = undefined;
  await signIn().click();
  await page.getByText(/^ann \(admin\)$/).waitFor();
});

it('takes no code that this tab did not ask for', async () => {
  await page.goto(`${server.url}/sign-in/callback?code=stolen&state=guessed`);
  await page.getByText('This sign-in did not begin in this tab').waitFor();
  expect(page.url()).toBe(`${server.url}/`);
});

it('says so when the provider is away', async () => {
  await page.route('**/.well-known/openid-configuration', (route) => route.abort());
  await page.goto(server.url);
  await signIn().click();
  await page.getByText('does not answer this page').waitFor();
});

it('renews a token that is about to end, while the page goes on', async () => {
  await page.clock.install();
  await page.goto(`${server.url}/ns/default/agents`);
  await signIn().click();
  await page.getByText(/^ann \(admin\)$/).waitFor();
  const token = () => page.evaluate(() => JSON.parse(sessionStorage.getItem('svc.credential') ?? '{}').token);
  const [first, before] = [await token(), provider.renewals];
  await page.clock.fastForward('01:00:00');
  await expect.poll(() => provider.renewals).toBeGreaterThan(before);
  await expect.poll(token).not.toBe(first);
  await page.getByText(/^ann \(admin\)$/).waitFor();
  expect(await page.getByText('Your sign-in has ended').count()).toBe(0);
});

/** Signs in under a clock of the page, and answers the next renewals in place of the provider; counts them. */
const renewing = async (answer: (route: Route) => Promise<void>): Promise<{ readonly count: () => number }> => {
  await page.clock.install();
  await page.goto(`${server.url}/ns/default/agents`);
  await signIn().click();
  await page.getByText(/^ann \(admin\)$/).waitFor();
  let count = 0;
  await page.route('**/token', async (route) => {
    count += 1;
    await answer(route);
  });
  return { count: () => count };
};

it('asks a provider again that was away when a token had to be renewed', async () => {
  const before = provider.renewals;
  let isAway = true;
  const { count } = await renewing((route) => (isAway ? route.abort() : route.continue()));
  await page.clock.fastForward('59:30');
  await expect.poll(count).toBe(1);
  isAway = false;
  await expect
    .poll(async () => {
      await page.clock.fastForward('00:05');
      return provider.renewals;
    })
    .toBe(before + 1);
  await page.getByText(/^ann \(admin\)$/).waitFor();
});

it('asks a provider that refuses to renew a token once, and goes on with the token that there is', async () => {
  const headers = { 'access-control-allow-origin': server.url, 'content-type': 'application/json' };
  const { count } = await renewing((route) =>
    route.fulfill({ status: 400, headers, body: '{"error":"invalid_grant"}' }),
  );
  await page.clock.fastForward('59:30');
  await expect.poll(count).toBe(1);
  for (let round = 0; round < 4; round += 1) {
    await page.clock.fastForward('00:05');
    // What the page asks for is answered in the order in which it asks.
    await page.evaluate(async () => (await fetch('/healthz')).text());
  }
  expect(count()).toBe(1);
  await page.getByText(/^ann \(admin\)$/).waitFor();
});
