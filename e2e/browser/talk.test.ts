// @service chromium
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ProtectedTools } from '../protected-tools/index.ts';
import { ShopInstance, type Tab } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** Stores resources in the shop. */
const apply = (...resources: readonly object[]): Promise<unknown> =>
  instance.api.ok('POST /v1/manifests:apply', {
    ns: 'shop',
    text: resources.map((resource) => JSON.stringify(resource)).join('\n---\n'),
  });

/** An empty conversation with an agent, opened in the page. */
const openSession = async (tab: Tab, agent: string): Promise<string> => {
  const { sessionId } = await instance.api.ok<{ sessionId: string }>(`POST /v1/ns/shop/agents/${agent}/sessions`, {});
  await tab.open(`/ns/shop/agents/${agent}/sessions/${sessionId}`);
  return sessionId;
};

/** Writes a message and sends it; while the agent works, as the page is told to. */
const say = async (page: Page, text: string, whenBusy?: 'Queue' | 'Steer' | 'Interrupt'): Promise<void> => {
  if (whenBusy !== undefined) await page.getByLabel('While the agent works').selectOption({ label: whenBusy });
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill(text);
  await field.press('Enter');
};

/** Waits for a paragraph of the conversation with exactly this text. */
const heard = (page: Page, text: string): Promise<void> =>
  page.getByRole('log').getByText(text, { exact: true }).last().waitFor();

const states = async (agent: string, sessionId: string): Promise<readonly string[]> => {
  const { turns } = await instance.api.ok<{ turns: readonly { readonly state: string }[] }>(
    `GET /v1/ns/shop/agents/${agent}/sessions/${sessionId}/turns`,
  );
  return turns.map(({ state }) => state).toSorted();
};

describe('what a turn asks', () => {
  it('is a sign-in, which opens in its own window, and after which the turn goes on by itself', async () => {
    await using tools = await ProtectedTools.start();
    await using tab = await instance.tab('operator');
    const { page } = tab;
    await apply(
      {
        kind: 'McpServer',
        metadata: { name: 'till', annotations: { 'option.svc/mcp-auth': 'oauth' } },
        spec: { transport: 'http', target: `${tools.url}/mcp` },
      },
      { kind: 'Agent', metadata: { name: 'cashier' }, spec: { mcpServerRefs: ['till'] } },
    );
    await openSession(tab, 'cashier');
    await say(page, '!tool mcp_till__sign_in {}\n!say Signed in.\n!tool mcp_till_greet {}\n!say The till is open.');
    const [window] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('log').getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await window.getByText(/close this/i).waitFor();
    await window.close();
    await heard(page, 'The till is open.');
    expect([tools.calls, tab.watcher.take()]).toEqual([1, []]);
  });

  it('is more of a limit, which a person raises in place', async () => {
    await using tab = await instance.tab('operator');
    const { page } = tab;
    await apply(
      { kind: 'Agent', metadata: { name: 'spender' }, spec: {} },
      {
        kind: 'UsagePolicy',
        metadata: { name: 'spending', annotations: { 'option.svc/on-exceeded': 'ask' } },
        spec: { hard: [{ metric: 'llm.requests', max: 1, window: '1d', selector: { agent: 'spender' } }] },
      },
    );
    await openSession(tab, 'spender');
    await say(page, 'Once');
    await heard(page, 'You said: Once');
    await say(page, 'And once more');
    await page.getByRole('log').getByRole('button', { name: /100 %/ }).click();
    await heard(page, 'You said: And once more');
    expect(tab.watcher.take()).toEqual([]);
  });
});

describe('a message while the agent works', () => {
  // A turn that waits for a person stays at work until somebody answers, however slow the machine is.
  const ASKING = '!tool create_goal {"objective":"Pack the boxes"}';

  it('joins the turn that runs', async () => {
    await using tab = await instance.tab('operator');
    const { page } = tab;
    const session = await openSession(tab, 'support');
    await say(page, ASKING);
    await page.getByText('Allow support to run create_goal?').first().waitFor();
    await say(page, 'Use the large boxes.', 'Steer');
    await heard(page, 'Use the large boxes.');
    await page
      .getByRole('log')
      .getByRole('button', { name: /^Allow/ })
      .first()
      .click();
    await heard(page, 'You said: Use the large boxes.');
    await button(page, 'Send').waitFor();
    expect([await states('support', session), tab.watcher.take()]).toEqual([['TURN_STATE_COMPLETED'], []]);
  });

  it('stops the turn that runs and is answered at once', async () => {
    await using tab = await instance.tab('operator');
    const { page } = tab;
    const session = await openSession(tab, 'support');
    await say(page, ASKING);
    await page.getByText('Allow support to run create_goal?').first().waitFor();
    await say(page, 'Do this instead.', 'Interrupt');
    await heard(page, 'You said: Do this instead.');
    await button(page, 'Send').waitFor();
    expect([await states('support', session), tab.watcher.take()]).toEqual([
      ['TURN_STATE_COMPLETED', 'TURN_STATE_STOPPED'],
      [],
    ]);
  });
});

it('a conversation is summed up, and then emptied', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await openSession(tab, 'clerk');
  for (const text of ['The first order', 'The second order']) {
    await say(page, text);
    await heard(page, `You said: ${text}`);
  }
  const menu = page.locator('main header').getByRole('button', { name: 'Actions' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Compact' }).click();
  await page.getByText('The next turn first sums up what was said').waitFor();
  await say(page, 'The third order');
  await heard(page, 'Earlier messages were summed up');
  await heard(page, 'You said: The third order');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Clear' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear' }).click();
  await page.getByText('Nothing has been said yet').waitFor();
  expect([await page.getByText('The first order').count(), tab.watcher.take()]).toEqual([0, []]);
});
