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
