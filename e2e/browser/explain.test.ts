// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

it('shows what would happen to a message of a platform, and leads to what would take it', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open('/ns/shop/connectors');
  const card = page.getByRole('listitem').filter({ hasText: 'team=reviewed' });
  await card.getByRole('button', { name: 'What would happen' }).click();
  const fields = page.getByRole('textbox', { name: 'Match fields' });
  await expect.poll(() => fields.inputValue()).toBe('team=reviewed');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByText('The event is taken.').waitFor();
  await page.getByText('a new session').waitFor();
  expect(tab.address).toContain('panel=');
  expect(await tab.accessibilityFaults()).toEqual([]);

  await fields.fill('team=nobody');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByText('No connector of the class takes events with these match fields.').waitFor();
  await page.getByText('wants team=reviewed, not nobody').waitFor();

  await fields.fill('team=room');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByText('routed: ', { exact: false }).or(page.getByText('the connector calls it')).first().waitFor();
  await page.getByRole('status').getByRole('link', { name: 'desk' }).click();
  await page.waitForURL(/\/ns\/shop\/channels\/desk/);
});

it('shows which agents a message of a channel would call, and offers it only to who may post', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open('/ns/shop/channels/desk');
  await page.getByRole('button', { name: 'What would happen' }).click();
  const panel = page.getByRole('status').filter({ hasText: 'Would' });
  const form = page.getByRole('form', { name: 'What would happen' });
  const message = form.getByRole('textbox', { name: 'Message' });
  await message.fill('hello');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await panel.getByText('it mentions neither the agent nor the subscription').waitFor();
  await message.fill('@support hello');
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await panel.getByText('it is mentioned').waitFor();
  expect(await tab.accessibilityFaults()).toEqual([]);

  await using reader = await instance.tab('viewer');
  await reader.open('/ns/shop/channels/desk');
  await reader.page.getByText('Service desk').first().waitFor();
  expect(await reader.page.getByRole('button', { name: 'What would happen' }).count()).toBe(0);
});
