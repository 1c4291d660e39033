// @service chromium
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { RestCaller } from '../calls/index.ts';
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
  provider.lifetime = 3_600;
  provider.givesRefreshTokens = true;
  context = await browser.newContext();
  page = await context.newPage();
  return () => context.close();
});

const signInOn = (of: Page) => of.getByRole('button', { name: /^Sign in with 127\.0\.0\.1:/ });
const signIn = () => signInOn(page);
const ended = (of: Page) => of.getByRole('dialog', { name: 'Your sign-in has ended' });

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

describe('a token that ends without a refresh token', () => {
  /** Five seconds in the past: the server bears thirty of them, so that the rest is the time to write in. */
  const ENDED_S = -20;

  const api = (): RestCaller => new RestCaller(server.url, { authorization: `Bearer ${provider.accessToken()}` });

  beforeEach(() => {
    provider.givesRefreshTokens = false;
  });

  /** A page of its own at an address, signed in with a token that ends soon. */
  const openSoonEnded = async (address: string): Promise<Page> => {
    provider.lifetime = ENDED_S;
    const opened = await context.newPage();
    await opened.goto(server.url + address);
    await signInOn(opened).click();
    return opened;
  };

  const signInAgain = async (of: Page): Promise<void> => {
    provider.lifetime = 3_600;
    const opened = context.waitForEvent('page');
    await signInOn(of).click();
    await ended(of).waitFor({ state: 'detached' });
    const window = await opened;
    await expect.poll(() => window.isClosed()).toBe(true);
  };

  it('takes nothing that was written: each page signs in by a window of its own, goes on, and saves it', async () => {
    const agents = '/v1/ns/default/agents';
    await api().ok(`POST ${agents}`, { name: 'porter', spec: { systemPrompt: 'You carry.' } });
    const { sessionId } = await api().ok<{ sessionId: string }>(`POST ${agents}/porter/sessions`, {});
    const talk = await openSoonEnded(`/ns/default/agents/porter/sessions/${sessionId}`);
    const message = talk.getByRole('textbox', { name: 'Message', exact: true });
    await message.fill('Please carry this.');
    const access = await openSoonEnded('/access?panel=api-key%20new');
    const name = access.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('porter-key');
    const edit = await openSoonEnded('/ns/default/resources/Agent/porter?view=yaml');
    await edit.locator('.cm-content').getByText('You carry.').click();
    await edit.keyboard.press('End');
    await edit.keyboard.type(' Gently.');
    for (const each of [talk, access, edit]) await ended(each).waitFor();
    expect(await accessibilityFaults(edit)).toEqual([]);

    for (const each of [edit, talk, access]) await signInAgain(each);
    expect([await message.inputValue(), await name.inputValue()]).toEqual(['Please carry this.', 'porter-key']);
    await message.press('Enter');
    await talk.getByRole('log').getByText('Please carry this.').first().waitFor();
    await name.press('Enter');
    await access.getByRole('heading', { name: 'API key porter-key' }).waitFor();
    await edit.locator('.cm-content').getByText('You carry. Gently.').click();
    await edit.keyboard.press('ControlOrMeta+s');
    await edit.getByRole('button', { name: 'Save', exact: true }).click();
    const promptNow = async (): Promise<string> => {
      const { agent } = await api().ok<{ agent: { spec: { systemPrompt: string } } }>(`GET ${agents}/porter`);
      return agent.spec.systemPrompt;
    };
    await expect.poll(promptNow).toBe('You carry. Gently.');
  });

  it('leads away from the page only when the person says so, where the browser blocks the window', async () => {
    await context.addInitScript(() => {
      window.open = () => null;
    });
    const blocked = await openSoonEnded('/ns/default/agents?q=porter');
    await ended(blocked).waitFor();
    provider.lifetime = 3_600;
    await signInOn(blocked).click();
    await blocked.getByText('Your browser blocked the window.').waitFor();
    expect(await accessibilityFaults(blocked)).toEqual([]);
    await blocked.getByRole('button', { name: 'Sign in on this page' }).click();
    // The page that is left has the same address and name: first it has to be gone.
    await ended(blocked).waitFor({ state: 'detached' });
    await expect.poll(() => blocked.url()).toBe(`${server.url}/ns/default/agents?q=porter`);
    await blocked.getByText(/^ann \(admin\)$/).waitFor();
    expect(await ended(blocked).count()).toBe(0);
  });

  it('says on the page why the provider refused, and begins once more', async () => {
    const refused = await openSoonEnded('/ns/default/agents');
    await ended(refused).waitFor();
    provider.refusal = 'Ann has gone home';
    await signInOn(refused).click();
    await ended(refused).getByText('Ann has gone home (access_denied)').waitFor();
    provider.refusal = undefined;
    await signInAgain(refused);
  });

  it('hands nothing over where no page waits for it', async () => {
    await page.goto(`${server.url}/sign-in/callback?code=stolen&state=window.guessed`);
    await page.getByText('No page waits for this sign-in any more.').waitFor();
  });
});
