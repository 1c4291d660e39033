// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

it('keeps an input with a workflow, begins with it again, and lets others use it', async () => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  const panel = `/ns/shop/workflows/refund?panel=${encodeURIComponent('workflow-run shop/refund')}`;
  await tab.open(panel);
  // As JSON there are no fields that could say what is missing.
  const start = page.getByRole('button', { name: 'Start' });
  await page.getByRole('group', { name: 'Input as' }).getByRole('button', { name: 'JSON' }).click();
  await start.click();
  await page.getByRole('alert').getByText('/order').waitFor();
  await page.getByRole('group', { name: 'Input as' }).getByRole('button', { name: 'Form' }).click();
  const amount = page.getByLabel('amount');
  await amount.fill('238');
  await page.getByRole('textbox', { name: 'Name of the input' }).fill('a large one');
  await page.getByRole('button', { name: 'Keep this input' }).click();
  await page.getByRole('button', { name: 'a large one', exact: true }).waitFor();
  await amount.fill('5');
  await page.getByRole('button', { name: 'a large one', exact: true }).click();
  expect(await amount.inputValue()).toBe('238');
  expect(await tab.accessibilityFaults()).toEqual([]);

  await using other = await instance.tab('operator');
  await other.open(panel);
  await other.page.getByRole('button', { name: 'a large one', exact: true }).click();
  expect(await other.page.getByLabel('amount').inputValue()).toBe('238');
  expect(await other.page.getByRole('button', { name: /Keep this|Remove the/ }).count()).toBe(0);

  await page.getByRole('button', { name: 'Remove the input a large one' }).click();
  await page.getByRole('button', { name: 'a large one', exact: true }).waitFor({ state: 'detached' });
});
