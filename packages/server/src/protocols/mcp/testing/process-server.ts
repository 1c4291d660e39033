import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toolServer } from './tools.ts';

/** A server on stdin and stdout; its first argument says how it behaves. */
const [mode = 'good'] = process.argv.slice(2);
const ANY = fromJsonSchema<Record<string, unknown>>({ type: 'object' });

const write = (text: string): boolean => process.stdout.write(text);

const badServer = () => {
  const server = new McpServer({ name: 'bad', version: '1' });
  server.registerTool('crash', { inputSchema: ANY }, () => process.exit(3));
  server.registerTool('environment', { inputSchema: ANY }, () => ({
    content: [{ type: 'text', text: Object.keys(process.env).sort().join(' ') }],
  }));
  server.registerTool('flood', { inputSchema: ANY }, () => {
    const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`;
    const more = (): void => {
      while (write(line.repeat(1_000)));
      process.stdout.once('drain', more);
    };
    more();
    return new Promise(() => undefined);
  });
  server.registerTool('endless', { inputSchema: ANY }, () => {
    const more = (): void => {
      while (write('x'.repeat(100_000)));
      process.stdout.once('drain', more);
    };
    more();
    return new Promise(() => undefined);
  });
  return server;
};

if (mode === 'good') serveStdio(toolServer());
else if (mode === 'old') {
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const server = await toolServer()({ era: 'legacy' });
  await server.connect(new StdioServerTransport());
} else if (mode === 'bad') serveStdio(badServer);
else if (mode === 'silent') process.stdin.resume();
else process.exit(1);
