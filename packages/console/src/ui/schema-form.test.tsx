import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SchemaForm } from './schema-form.tsx';

const ignore = (): void => undefined;

it('shows each value in its control, with what is required and what is wrong', () => {
  const shown = renderToStaticMarkup(
    <SchemaForm
      label="Order"
      schema={{
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', title: 'Your name', description: 'As on the card' },
          count: { type: 'integer' },
          size: { enum: ['small', 'large'] },
          tags: { type: 'array', items: { type: 'string' } },
          gift: { type: 'boolean' },
        },
      }}
      value={{ count: 2, size: 'large', tags: ['a'], gift: false }}
      problems={new Map([['/name', 'Required']])}
      onChange={ignore}
    />,
  );
  expect(shown).toContain('Your name</label>');
  expect(shown).toMatch(/aria-invalid="true"[^>]*value=""/);
  expect(shown).toContain('Required</p>');
  expect(shown).not.toContain('As on the card');
  expect(shown).toContain('count (optional)');
  expect(shown).toContain('value="2"');
  expect(shown).toContain('<option value="1" selected="">large</option>');
  expect(shown).toContain('<option value="false" selected="">No</option>');
  expect(shown).toContain('aria-label="Remove tags 1"');
  expect(shown).toContain('Add tags');
});

it('takes JSON for what it has no control for', () => {
  const shown = renderToStaticMarkup(<SchemaForm label="Anything" schema={{}} value={{ a: 1 }} onChange={ignore} />);
  expect(shown).toContain('Anything, as JSON');
  expect(shown).toContain('&quot;a&quot;: 1');
});
