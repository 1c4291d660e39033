import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { AgentForm } from './agent-form.tsx';

const text = [
  'kind: Agent',
  'spec:',
  '  systemPrompt: Be brief.',
  '  modelPolicy:',
  '    profiles:',
  '      - name: default',
  '        model: {provider: demo, name: echo, temperature: 0.2}',
  '  capabilities:',
  '    goals: [{action: create, approval: ask}]',
  '',
].join('\n');

const shown = (draft: string, isReadOnly = false): string =>
  renderToStaticMarkup(<AgentForm text={draft} onChange={isReadOnly ? undefined : () => undefined} />);

describe('AgentForm', () => {
  it('shows the values of the text', () => {
    const html = shown(text);
    expect(html).toContain('>Be brief.</textarea>');
    expect(html).toContain('value="echo"');
    expect(html).toContain('value="0.2"');
    expect(html).toContain('value="create"');
    expect(html).toContain('<option value="ask" selected="">Ask a person</option>');
  });

  it('offers no additions where the text may only be read', () => {
    expect(shown(text)).toContain('>Add</button>');
    expect(shown(text, true)).not.toContain('>Add</button>');
    expect(shown(text, true)).toMatch(/^<fieldset[^>]* disabled=""/);
  });

  it('sends people to a text that it cannot read', () => {
    expect(shown('spec: [')).toContain('cannot be read');
  });
});
