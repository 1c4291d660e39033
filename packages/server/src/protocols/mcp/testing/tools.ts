import { fromJsonSchema, inputRequired, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';

/** What the calls of a test server leave behind. */
export interface CallLog {
  readonly calls: { readonly tool: string; readonly input: unknown; readonly meta: unknown }[];
  readonly cancelled: string[];
}

interface ServerShape {
  /** Names of tools that only answer their name. */
  readonly plain?: () => readonly string[];
  readonly log?: CallLog;
}

const NUMBERS = fromJsonSchema<{ a: number; b: number }>({
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
});
const ANY = fromJsonSchema<Record<string, unknown>>({ type: 'object' });
const CITY = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] };

/** A server with one tool for each thing that a client has to know how to do. */
export const toolServer =
  ({ plain = () => [], log = { calls: [], cancelled: [] } }: ServerShape = {}): McpServerFactory =>
  (context) => {
    const server = new McpServer({ name: 'test-tools', version: '1.2.3' });
    const note = (tool: string, input: unknown, meta: unknown) => log.calls.push({ tool, input, meta });
    server.registerTool(
      'add',
      { description: 'Adds.', inputSchema: NUMBERS, annotations: { readOnlyHint: true } },
      ({ a, b }, ctx) => {
        note('add', { a, b }, ctx.mcpReq._meta);
        return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } };
      },
    );
    server.registerTool('media', { inputSchema: ANY }, () => ({
      content: [
        { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside', mimeType: 'text/plain' } },
        { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
      ],
    }));
    server.registerTool('fails', { inputSchema: ANY }, () => ({
      content: [{ type: 'text', text: 'no such order' }],
      isError: true,
    }));
    server.registerTool('slow', { inputSchema: ANY }, (_input, ctx) => {
      note('slow', {}, {});
      return new Promise((_resolve, reject) => {
        ctx.mcpReq.signal.addEventListener('abort', () => {
          log.cancelled.push('slow');
          reject(new Error('cancelled'));
        });
      });
    });
    server.registerTool('ask', { inputSchema: ANY }, async (_input, ctx) => {
      note('ask', {}, ctx.mcpReq._meta);
      if (context.era === 'legacy') {
        const said = await ctx.mcpReq.elicitInput({ message: 'Which city?', requestedSchema: CITY });
        return { content: [{ type: 'text', text: `${said.action} ${String(said.content?.['city'] ?? '')}` }] };
      }
      const said = ctx.mcpReq.inputResponses?.['city'] as { action: string; content?: { city?: string } } | undefined;
      if (said === undefined)
        return inputRequired({
          inputRequests: { city: inputRequired.elicit({ message: 'Which city?', requestedSchema: CITY }) },
          requestState: 'first-round',
        });
      return { content: [{ type: 'text', text: `${said.action} ${said.content?.city ?? ''}` }] };
    });
    server.registerTool(
      'liar',
      {
        inputSchema: ANY,
        outputSchema: fromJsonSchema<{ n: number }>({
          type: 'object',
          properties: { n: { type: 'number' } },
          required: ['n'],
        }),
      },
      () => ({ content: [], structuredContent: { n: 1 } }),
    );
    for (const name of plain())
      server.registerTool(name, { inputSchema: ANY }, () => ({ content: [{ type: 'text', text: name }] }));
    return server;
  };
