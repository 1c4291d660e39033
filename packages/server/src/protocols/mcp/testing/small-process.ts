import { createInterface } from 'node:readline';

/** A server of the older era in a few lines, which starts as fast as a process can: its one tool adds. */
interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly arguments?: { readonly a: number; readonly b: number };
  };
}

const answerTo = ({ method, params }: Request): object => {
  if (method === 'initialize') {
    const serverInfo = { name: 'small', version: '1' };
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: [{ name: 'add', inputSchema: { type: 'object' } }] };
  const { a = 0, b = 0 } = params?.arguments ?? {};
  return method === 'tools/call' ? { content: [{ type: 'text', text: String(a + b) }] } : {};
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answerTo(request) })}\n`);
});
