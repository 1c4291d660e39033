import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { OverridesBanner } from './overrides-banner.tsx';

it('names what a session runs with and what its agent has in its place', () => {
  const html = renderToStaticMarkup(
    <OverridesBanner
      differences={[
        { what: 'model', is: 'demo/other', was: 'demo/echo' },
        { what: 'temperature', is: '0', was: '' },
        { what: 'systemPrompt', is: '<b>Be brief.</b>', was: 'Be kind.' },
      ]}
      source="the session before"
    />,
  );
  expect(html).toContain('Model <code>demo/other</code> instead of <code>demo/echo</code>');
  expect(html).toContain('Temperature <code>0</code>, which the agent does not set');
  expect(html).toContain('&lt;b&gt;Be brief.&lt;/b&gt;');
  expect(html).toContain('the session before');
});

it('says that a session has no prompt at all', () => {
  const html = renderToStaticMarkup(
    <OverridesBanner differences={[{ what: 'systemPrompt', is: '', was: 'Be kind.' }]} />,
  );
  expect(html).toContain('none');
});
