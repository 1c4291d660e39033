import { expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

it('a text in HTML is a text, between tags and in attributes', () => {
  expect(htmlText(`<b class="x">Tom & 'Ann'</b>`)).toBe(
    '&lt;b class=&quot;x&quot;&gt;Tom &amp; &#39;Ann&#39;&lt;/b&gt;',
  );
});
