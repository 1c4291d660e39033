// @service chromium
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { createClient } from '@svc/client';
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const ITEM = fromJsonSchema<{ name: string }>({
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
});

/** An MCP server with two tools; answers its address. */
const openPantry = async () => {
  const asked: string[] = [];
  const made = (): McpServer => {
    const server = new McpServer({ name: 'pantry', version: '3.1' });
    server.registerTool('count', { description: 'Counts an item.', inputSchema: ITEM }, ({ name }) => {
      asked.push(name);
      return { content: [{ type: 'text', text: `12 of ${name}` }] };
    });
    server.registerTool('discard', { annotations: { destructiveHint: true } }, () => ({ content: [] }));
    return server;
  };
  const serve = toNodeHandler(createMcpHandler(made));
  const http = createServer((request, response) => void serve(request as Parameters<typeof serve>[0], response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
};

const apply = async (text: string): Promise<void> => {
  const client = createClient({ baseUrl: instance.url, token: instance.adminToken });
  await client.resources.applyManifests({ ns: 'shop', text });
};

it('tests the connection of a server, in place whether it answers or not', async () => {
  await using pantry = await openPantry();
  await apply(`kind: McpServer
metadata: { name: pantry, namespace: shop }
spec: { transport: http, target: "${pantry.url}", policy: { tools: { allowlist: [count] } } }`);
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open('/ns/shop/mcp?server=Server/stock');
  await page.getByRole('button', { name: 'Test connection' }).click();
  const connection = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Connection' }) });
  await connection.getByText('ConnectFailed').waitFor();
  await connection.getByText('the server could not be reached').waitFor();

  await tab.open('/ns/shop/mcp?server=Server/pantry');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await connection.getByText('pantry 3.1', { exact: true }).waitFor();
  const count = connection.getByRole('group').filter({ hasText: 'count' }).filter({ hasNotText: 'discard' });
  await count.locator('summary').click();
  await count.getByText('mcp_pantry_count').waitFor();
  await count.getByText('Counts an item.').waitFor();
  expect(await connection.getByText('Not allowed').count()).toBe(1);
  expect(await tab.accessibilityFaults()).toEqual([]);
  expect(tab.watcher.take()).toEqual([]);
});

it('tries a tool of an agent with arguments from a form', async () => {
  await using pantry = await openPantry();
  await apply(`kind: McpServer
metadata: { name: larder, namespace: shop }
spec: { transport: http, target: "${pantry.url}" }
---
kind: Agent
metadata: { name: cook, namespace: shop }
spec: { systemPrompt: You cook., mcpServerRefs: [larder, stock] }`);
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open('/ns/shop/agents/cook?tab=effective');
  await page.getByText(/MCP server stock: the server could not be reached/).waitFor();
  await page.getByRole('button', { name: 'Try mcp_larder_count' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Required', { exact: true }).waitFor();
  expect(pantry.asked).toEqual([]);
  await page.getByRole('textbox', { name: 'name' }).fill('flour');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('12 of flour', { exact: true }).waitFor();
  expect(pantry.asked).toEqual(['flour']);
  expect(new URL(page.url()).searchParams.get('tool')).toBe('mcp_larder_count');
  expect(await tab.accessibilityFaults()).toEqual([]);
  expect(tab.watcher.take()).toEqual([]);
});

it('shows those who may only look no button that does something', async () => {
  await using tab = await instance.tab('viewer');
  await tab.open('/ns/shop/agents/support?tab=effective');
  await tab.page.getByText('create_goal', { exact: true }).first().waitFor();
  expect(await tab.page.getByRole('button', { name: /^Try/ }).count()).toBe(0);
  await tab.open('/ns/shop/mcp?server=Server/stock');
  await tab.page.getByRole('heading', { name: 'Connection' }).waitFor();
  expect(await tab.page.getByRole('button', { name: 'Test connection' }).count()).toBe(0);
});
