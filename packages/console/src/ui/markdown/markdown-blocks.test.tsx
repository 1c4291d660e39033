import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownBlocks } from './markdown-blocks.tsx';

const html = (text: string): string =>
  renderToStaticMarkup(<MarkdownBlocks text={text} />)
    .replaceAll(/ class="[^"]*"/g, '')
    .replace(/^<div>(.*)<\/div>$/s, '$1');

describe('what people write', () => {
  it('becomes elements', () => {
    expect(html('# One\n\n**two** _three_ `four` ~~five~~')).toBe(
      '<h3>One</h3><p><strong>two</strong> <em>three</em> <code>four</code> <del>five</del></p>',
    );
    expect(html('- a\n- b')).toBe('<ul><li>a</li><li>b</li></ul>');
    expect(html('3. a')).toBe('<ol start="3"><li>a</li></ol>');
    expect(html('|a|b|\n|-|-:|\n|1|2|')).toContain('<tbody><tr><td>1</td><td>2</td></tr></tbody>');
    expect(html('a\nb')).toBe('<p>a<br/>b</p>');
    expect(html('- [x] a')).toContain('type="checkbox"');
  });

  it('shows character references as the characters', () => {
    expect(html('a &lt; b &euro; &#8364; &#x20ac; &unknown;')).toBe('<p>a &lt; b € € € &amp;unknown;</p>');
    expect(html('`&lt;`')).toBe('<p><code>&amp;lt;</code></p>');
    expect(html('\\*a\\*')).toBe('<p>*a*</p>');
  });

  it('keeps code as it is', () => {
    expect(html('```js\n<b>1</b>\n```')).toContain('<code>&lt;b&gt;1&lt;/b&gt;</code>');
  });
});

describe('hostile text', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <svg onload=alert(1)> b',
    '<iframe src="//elsewhere.example"></iframe>',
    '<style>@import "//elsewhere.example"</style>',
    '<!-- --><a href="javascript:alert(1)">x</a>',
  ])('shows HTML as text: %s', (text) => {
    expect(html(text)).not.toMatch(/<(script|img|svg|iframe|style|a)\b/i);
    expect(html(text)).toContain('&lt;');
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](<java\tscript:alert(1)>)',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](//elsewhere.example)',
    '[x](/\\elsewhere.example)',
    '[x](file:///etc/passwd)',
  ])('makes no link of %s', (text) => {
    expect(html(text)).not.toContain('<a');
    expect(html(text)).toContain('x');
  });

  it('opens links in a new tab that cannot reach this one', () => {
    expect(html('[x](https://elsewhere.example/a)')).toBe(
      '<p><a href="https://elsewhere.example/a" title="https://elsewhere.example/a" target="_blank" rel="noopener noreferrer nofollow">x</a></p>',
    );
    expect(html('[x](https://e.example "\\" onclick=alert(1)")')).toContain('title="&quot; onclick=alert(1)"');
  });

  it('loads images of this server and of the text only', () => {
    expect(html('![a](/v1/x.png)')).toBe('<p><img src="/v1/x.png" alt="a" loading="lazy"/></p>');
    expect(html('![a](data:image/png;base64,AAAA)')).toContain('<img src="data:image/png;base64,AAAA"');
    for (const address of [
      'https://elsewhere.example/a.png',
      '//elsewhere.example/a.png',
      '/\\elsewhere.example/a.png',
      'data:image/svg+xml;base64,AAAA',
      'javascript:alert(1)',
    ])
      expect(html(`![a](${address})`)).not.toContain('<img');
    expect(html('![a](https://elsewhere.example/a.png)')).toContain('Image: a</a>');
  });

  it('survives quotes within quotes', () => {
    expect(html(`${'> '.repeat(500)}deep`)).toContain('deep');
  });
});
