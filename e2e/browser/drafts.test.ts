// @service chromium
import { expect, it } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

it('keeps what is written in a document while another one is read', async () => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  await tab.open('/ns/shop/knowledge?doc=handbook/returns.md');
  await edit.click();
  await tab.writeText('Nothing can be returned.');
  await page.getByRole('button', { name: 'shipping.md' }).click();
  await page.getByRole('heading', { level: 2, name: 'handbook/shipping.md' }).waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await page.getByRole('button', { name: 'returns.md' }).click();
  await page.getByText('Nothing can be returned.').waitFor();

  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('within 30 days').waitFor();
  expect(await page.getByText('Nothing can be returned.').count()).toBe(0);
  await page.getByRole('button', { name: 'shipping.md' }).click();
  await page.getByRole('button', { name: 'returns.md' }).click();
  await page.getByText('within 30 days').waitFor();
});

it('does not undo a label that somebody else wrote meanwhile', async () => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  const api = new RestCaller(instance.url, { authorization: `Bearer ${instance.adminToken}` });
  const labelled = (labels: Readonly<Record<string, string>>): Promise<unknown> =>
    api.ok('PUT /v1/ns/shop:north/resources/Namespace/shop:north', {
      manifest: { kind: 'Namespace', metadata: { name: 'shop:north', labels }, spec: { parent: 'shop' } },
    });
  await tab.open('/namespaces?of=shop:north');
  const lines = page.getByRole('textbox', { name: 'Labels' });
  await lines.fill('tier=mine');
  await labelled({ tier: 'theirs' });
  await page.getByText('Somebody else changed the labels').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('has been changed meanwhile').waitFor();
  expect(await lines.inputValue()).toBe('tier=mine');
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await lines.inputValue()).toBe('tier=theirs');
  await lines.fill('tier=theirs\ncolour=blue');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: shop:north').waitFor();
  await expect.poll(() => lines.inputValue()).toBe('colour=blue\ntier=theirs');
});
