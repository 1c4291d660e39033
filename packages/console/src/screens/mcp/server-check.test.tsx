import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { CheckMcpServerResponseSchema } from '@svc/api/gateway';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { CheckAnswer } from './server-check.tsx';

const view = (answer: MessageInitShape<typeof CheckMcpServerResponseSchema>): string =>
  renderToStaticMarkup(<CheckAnswer answer={create(CheckMcpServerResponseSchema, answer)} />);

it('shows what the server is, and each tool with its schema and whether agents may have it', () => {
  const shown = view({
    reachable: true,
    reason: 'Connected',
    serverName: 'desk',
    serverVersion: '1.2',
    protocol: '2026-07-28',
    tookMs: 12n,
    toolCount: 3,
    missingTools: ['gone'],
    tools: [
      { name: 'find', description: '<b>Finds</b>', allowed: true, agentName: 'mcp_desk_find', readOnly: true },
      { name: 'wipe', destructive: true, inputSchemaJson: '{"type":"object"}' },
    ],
  });
  expect(shown).toContain('Connected</span> It answered in 12 ms.');
  expect(shown).toContain('<dd>desk 1.2</dd>');
  expect(shown).toContain('<dd>gone</dd>');
  expect(shown).toContain('3 tools');
  expect(shown).toContain('1 further tool is not shown');
  expect(shown).toContain('&lt;b&gt;Finds&lt;/b&gt;');
  expect(shown).toMatch(/<code>find<\/code>.*Allowed<\/span>.*<dd>mcp_desk_find<\/dd>.*<dd>reads only<\/dd>/);
  expect(shown).toMatch(
    /<code>wipe<\/code>.*Not allowed<\/span>.*<dd>may destroy<\/dd>.*&quot;type&quot;: &quot;object&quot;/s,
  );
});

it('shows why a server cannot be used', () => {
  const shown = view({ reason: 'SignInNeeded', message: 'the server needs a person to sign in' });
  expect(shown).toContain('SignInNeeded</span> the server needs a person to sign in Sign in below');
  expect(shown).not.toContain('tools');
});
