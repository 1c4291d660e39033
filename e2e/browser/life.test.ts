// @service chromium
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { ShopInstance, type Tab } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

const api = (): RestCaller => new RestCaller(instance.url, { authorization: `Bearer ${instance.adminToken}` });

/** Writes a message in a conversation and sends it. */
const say = async ({ page }: Tab, text: string): Promise<void> => {
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill(text);
  await field.press('Enter');
};

const AGENT = `apiVersion: svc/v1
kind: Agent
metadata: {name: porter, namespace: shop}
spec:
  systemPrompt: You carry parcels.
  features: [{type: toolset, name: goals}]
  capabilities: {goals: [inspect, {action: create, approval: ask}]}
`;

/** The agent as it is seeded, with a model that answers. */
const MENDED = `apiVersion: svc/v1
kind: Agent
metadata: {name: broken, namespace: shop}
spec:
  systemPrompt: You never get an answer from your model.
  modelPolicy: {profiles: [{name: default, model: {provider: demo, name: echo}}]}
`;

/** Everything that happens to one matter, by pages alone. Each part goes on from the one before. */
describe('the life of a matter', () => {
  it('begins with a new agent, whose tool a second person allows, and whose prompt and cost can be seen', async () => {
    await using tab = await instance.tab('admin');
    await using other = await instance.tab('operator');
    const { page } = tab;
    await tab.open('/ns/shop/new/Agent');
    await tab.writeText(AGENT);
    await button(page, 'Review and save').click();
    await button(page, 'Create').click();
    await page.getByRole('heading', { level: 1, name: 'porter' }).waitFor();

    await tab.follow('/ns/shop/sessions?agent=porter');
    await button(page, 'New session').click();
    await page.waitForURL(/\/agents\/porter\/sessions\//);
    await say(tab, '!tool create_goal {"objective":"Carry the parcel"}');
    await page.getByText('Allow porter to run create_goal?').first().waitFor();

    await other.open('/inbox?agent=porter');
    await other.page.getByText('Allow porter to run create_goal?').first().click();
    await other.page.getByText('Carry the parcel').first().waitFor();
    await other.page
      .getByRole('button', { name: /^Allow/ })
      .first()
      .click();
    await other.page.getByText('Answered').first().waitFor();

    await page.getByText('Allowed').first().waitFor();
    await tab.settled();
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByTitle('What the model saw').first().click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.getByText('You carry parcels.').first().waitFor();
    await panel.getByText('Tokens by source').waitFor();
    expect([tab.watcher.take(), other.watcher.take()]).toEqual([[], []]);
  });

  it('shows why an agent failed, and lets it be mended while somebody else changes it', async () => {
    await using tab = await instance.tab('admin');
    const { page } = tab;
    await tab.open(`/ns/shop/agents/broken/sessions/${instance.seeded.failedSession}`);
    await page
      .getByText(/openai/)
      .first()
      .waitFor();
    await tab.follow('/ns/shop/agents/broken?tab=yaml');
    await page.locator('.cm-content').waitFor();
    await tab.writeText(MENDED);
    await api().ok('PUT /v1/ns/shop/agents/broken', {
      spec: { systemPrompt: 'You answer now.' },
      updateMask: 'spec.systemPrompt',
    });
    await page.getByText('Somebody else changed it while you write.').waitFor();
    await button(page, 'Compare and merge').click();
    await page.getByText('changed by others').waitFor();
    await button(page, 'Continue with the merged text').click();
    await button(page, 'Review and save').click();
    await button(page, 'Save').click();
    await page.getByText('Saved: broken').waitFor();
    const { agent } = await api().ok<{ agent: { spec: object } }>('GET /v1/ns/shop/agents/broken');
    expect(agent.spec).toMatchObject({
      systemPrompt: 'You answer now.',
      modelPolicy: { profiles: [{ model: { provider: 'demo', name: 'echo' } }] },
    });
    await button(page, 'Test turn').click();
    const side = page.getByRole('textbox', { name: 'Message' });
    await side.fill('Are you there?');
    await side.press('Enter');
    await page.getByText('You said: Are you there?').waitFor();
    expect(tab.watcher.take()).toEqual([]);
  });

  it('goes through a workflow to its form for a person, and to its end', async () => {
    await using tab = await instance.tab('operator');
    const { page } = tab;
    await tab.open('/ns/shop/workflows/refund');
    await button(page, 'Run').click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.getByLabel('order').fill('B12');
    await panel.getByLabel('amount').fill('300');
    await panel.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/workflows\/refund\/runs\//);
    await page.getByText('SUSPENDED').or(page.getByText('Suspended')).first().waitFor();
    await page.getByText('approve').first().click();
    await page.getByLabel('approved').selectOption('Yes');
    await button(page, 'Continue the run').click();
    await page.getByText('COMPLETED').or(page.getByText('Completed')).first().waitFor();
    expect(tab.watcher.take()).toEqual([]);
  });

  it('releases a held reply and finds its conversation again', async () => {
    await using tab = await instance.tab('operator');
    const { page } = tab;
    await tab.open('/inbox?kind=held');
    await page.getByRole('list', { name: 'What waits' }).getByRole('button').first().click();
    await button(page, 'Send').first().click();
    await page.getByText('Answered').first().waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('shop/support');
    await page
      .getByRole('option', { name: /shop\/support/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'support' }).waitFor();
    expect(tab.watcher.take()).toEqual([]);
  });

  it('ends with a key that is revoked', async () => {
    const { secret } = await api().ok<{ secret: string }>('POST /v1/auth/api-keys', {
      name: 'lost-key',
      grants: [{ role: 'viewer', namespace: 'shop' }],
    });
    await using tab = await instance.tab('admin');
    const { page } = tab;
    await tab.open('/access');
    await page
      .getByRole('row', { name: /lost-key/ })
      .getByRole('button', { name: /Revoke/ })
      .click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /Revoke/ })
      .click();
    await page
      .getByText(/revoked/i)
      .first()
      .waitFor();
    const refused = await fetch(`${instance.url}/v1/auth/whoami`, { headers: { 'x-api-key': secret } });
    expect([refused.status, tab.watcher.take()]).toEqual([401, []]);
  });
});
