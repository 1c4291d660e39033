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

it('saves a text over a resource of which only the state changed meanwhile', async () => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  const api = new RestCaller(instance.url, { authorization: `Bearer ${instance.adminToken}` });
  const put = (kind: string, name: string, spec: object): Promise<unknown> =>
    api.ok(`PUT /v1/ns/shop/resources/${kind}/${name}`, {
      manifest: { kind, metadata: { name, namespace: 'shop' }, spec },
    });
  const phase = async (): Promise<string> => {
    const { body } = await api.call<{ agent: { status: { phase: string } } }>('GET /v1/ns/shop/agents/waiter');
    return body.agent.status.phase;
  };
  await put('Agent', 'waiter', { systemPrompt: 'You wait.', mcpServerRefs: ['late'] });
  await expect.poll(phase).toBe('Degraded');
  await tab.open('/ns/shop/resources/Agent/waiter?view=yaml');
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('\n# still waits');
  await put('McpServer', 'late', { transport: 'http', target: 'http://127.0.0.1:1/mcp' });
  await expect.poll(phase).not.toBe('Degraded');
  await tab.settled();
  expect(await page.getByText('Somebody else changed it while you write').count()).toBe(0);
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
});
