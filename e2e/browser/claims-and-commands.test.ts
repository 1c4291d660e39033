// @service chromium
// @service bubblewrap
import { expect, it } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

interface Begun {
  readonly name: string;
  readonly message: string;
  readonly spec?: object;
  readonly waitSeconds?: number;
}

/** Makes an agent of the shop and sends it one message; answers the session. */
const begin = async ({ name, message, spec = {}, waitSeconds = 0 }: Begun): Promise<string> => {
  const api = new RestCaller(instance.url, { authorization: `Bearer ${instance.adminToken}` });
  const agents = '/v1/ns/shop/agents';
  await api.ok(`POST ${agents}`, { name, spec });
  const { sessionId } = await api.ok<{ sessionId: string }>(`POST ${agents}/${name}/sessions`, {});
  await api.ok(`POST ${agents}/${name}/sessions/${sessionId}/message`, { message, waitSeconds });
  return sessionId;
};

it('shows what a worker holds, with the way to it', async () => {
  const session = await begin({ name: 'slow', message: '!delay 60000' });
  await using tab = await instance.tab('admin');
  const { page } = tab;
  await tab.open('/workers');
  await page.getByRole('grid', { name: 'Workers' }).getByText('ready').click();
  const claims = page.getByRole('table', { name: 'Holds now' });
  await claims.getByRole('row', { name: /^turn shop\/slow running/ }).waitFor();
  expect(await tab.accessibilityFaults()).toEqual([]);
  await claims.getByRole('link', { name: 'shop/slow' }).click();
  await page.waitForURL(new RegExp(`/ns/shop/agents/slow/sessions/${session}\\?view=timeline&turn=`));
});

it('runs one command after the other in a sandbox, and brings older ones back by the arrow keys', async () => {
  const spec = { capabilities: { sandbox: ['*'] }, features: [{ name: 'careful', type: 'sandbox' }] };
  const message = '!tool sandbox_exec {"command":"echo from the agent > note"}';
  await begin({ name: 'runner', message, spec, waitSeconds: 30 });
  await using tab = await instance.tab('admin');
  const { page } = tab;
  await tab.open('/ns/shop/sandboxes');
  await page
    .getByRole('grid', { name: 'Sandboxes' })
    .getByText(/^session-/)
    .first()
    .click();
  const field = page.getByLabel('Command');
  const output = page.getByRole('log', { name: 'Output' });
  await field.fill('cat note');
  await page.keyboard.press('Enter');
  await output.getByText('from the agent').waitFor();
  await field.fill('echo oops >&2; exit 3');
  await page.keyboard.press('Enter');
  await output.getByText('exit code 3').waitFor();
  expect(await output.locator('pre').allInnerTexts()).toEqual(['from the agent\n', 'oops\n']);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await field.inputValue()).toBe('cat note');
  expect(await tab.accessibilityFaults()).toEqual([]);
  await field.fill('sleep 50');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).click();
  await output.getByText('You stopped it.').waitFor();
});

it('hides the command line from those who may not run commands', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open('/ns/shop/sandboxes');
  await page
    .getByRole('grid', { name: 'Sandboxes' })
    .getByText(/^session-/)
    .first()
    .click();
  await page.getByRole('heading', { name: 'Processes' }).waitFor();
  expect(await page.getByLabel('Command').count()).toBe(0);
});
