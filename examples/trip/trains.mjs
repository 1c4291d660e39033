/**
 * A timetable as an MCP server over standard input and output, for the agents of this example. It answers the same every time.
 */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const TRAINS = {
  Rome: [
    { train: 'EC 87', leaves: '09:38', euros: 79 },
    { train: 'NJ 295', leaves: '20:10', euros: 119 },
  ],
  Paris: [{ train: 'TGV 9576', leaves: '06:48', euros: 89 }],
};

const schema = fromJsonSchema({
  type: 'object',
  properties: { to: { type: 'string', description: 'where the journey ends' } },
  required: ['to'],
});

serveStdio(() => {
  const server = new McpServer({ name: 'trains', version: '1.0.0' });
  server.registerTool(
    'find_trains',
    { description: 'Finds trains from Munich to a city.', inputSchema: schema, annotations: { readOnlyHint: true } },
    ({ to }) => ({ content: [{ type: 'text', text: JSON.stringify(TRAINS[to] ?? []) }] }),
  );
  return server;
});
