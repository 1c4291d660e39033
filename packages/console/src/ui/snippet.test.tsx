import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Snippet } from './snippet.tsx';

it('marks what was searched for, and shows the rest as text', () => {
  const pieces = [
    { text: '<b>the</b> ', found: false },
    { text: 'lighthouse', found: true },
  ];
  expect(renderToStaticMarkup(<Snippet pieces={pieces} />)).toMatch(
    /^<span[^>]*>&lt;b&gt;the&lt;\/b&gt; <mark>lighthouse<\/mark><\/span>$/,
  );
});

it('cuts what is long before the first mark, between words', () => {
  const lead = 'Keepers of long ago wrote down every ship that passed the ';
  const shown = (text: string): string =>
    renderToStaticMarkup(
      <Snippet
        pieces={[
          { text, found: false },
          { text: 'lighthouse', found: true },
        ]}
      />,
    );
  expect(shown(lead)).toContain('>… passed the <mark>');
  expect(shown('x'.repeat(60))).toContain(`>…${'x'.repeat(16)}<mark>`);
  expect(shown('y'.repeat(16))).toContain(`>${'y'.repeat(16)}<mark>`);
  expect(renderToStaticMarkup(<Snippet pieces={[{ text: lead, found: false }]} />)).toContain(`>${lead}<`);
});
