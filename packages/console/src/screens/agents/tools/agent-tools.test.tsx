import { create } from '@bufbuild/protobuf';
import { AgentToolSchema, MissingToolSchema } from '@svc/api/gateway';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { MissingTools, ToolLine } from './agent-tools.tsx';

const calculate = { name: 'calculate', description: 'Works out.', effect: 'read', approval: 'allow' };
const line = (more: object, mayTry = true): string =>
  renderToStaticMarkup(
    <ToolLine
      tool={create(AgentToolSchema, { ...calculate, ...more })}
      isOpen={false}
      onTry={mayTry ? () => undefined : undefined}
    />,
  );

it('shows what a call of a tool does, and a try for those who may', () => {
  const shown = line({ effect: 'write', approval: 'ask', capability: 'files:create' });
  expect(shown).toContain('writes · asks a person first · files:create');
  expect(shown).toContain('Try <span class="visually-hidden">calculate</span>');
  expect(line({}, false)).not.toContain('Try');
});

it('says why a tool cannot be tried', () => {
  const shown = line({ needsTurn: true });
  expect(shown).toContain('aria-disabled="true"');
  expect(shown).toContain('It works on its conversation: try it in a test turn');
});

it('shows servers that give no tools before tools that nothing grants', () => {
  const shown = renderToStaticMarkup(
    <MissingTools
      missing={[
        create(MissingToolSchema, { name: 'a', kind: 'tool', reason: 'NotGranted', message: 'not granted' }),
        create(MissingToolSchema, { name: 'desk', kind: 'mcp_server', reason: 'Timeout', message: 'too slow' }),
      ]}
    />,
  );
  expect(shown).toMatch(/Timeout<\/span> MCP server <code>desk<\/code>: too slow.*1 tool that.*NotGranted/);
});
