// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

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
