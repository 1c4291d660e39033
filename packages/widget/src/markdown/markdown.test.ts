import { describe, expect, it } from 'vitest';
import { textOf } from '../dom/vnode.ts';
import { outline } from '../testing/outline.ts';
import { markdownNodes } from './markdown.ts';

const shown = (text: string): string =>
  markdownNodes(text)
    .map((node) => outline(node))
    .join('');

describe('blocks', () => {
  it.each([
    ['one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
    ['# Title #\ntext', '<p class=heading level-1>Title</p><p>text</p>'],
    ['###### Deep', '<p class=heading level-4>Deep</p>'],
    ['#no title', '<p>#no title</p>'],
    ['one\n***\ntwo', '<p>one</p><hr></hr><p>two</p>'],
    ['> one\n> > two\n\nthree', '<blockquote><p>one</p><blockquote><p>two</p></blockquote></blockquote><p>three</p>'],
    ['```js\nlet *x*;\n```\nafter', '<pre><code>let *x*;</code></pre><p>after</p>'],
    ['~~~\n```\n~~~~', '<pre><code>```</code></pre>'],
    ['```\nnot over yet', '<pre><code>not over yet</code></pre>'],
    ['a\n\n\n   \nb', '<p>a</p><p>b</p>'],
    ['one\r\n\r\ntwo', '<p>one</p><p>two</p>'],
    ['', ''],
  ])('reads %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n  - b\n    - c\n- d', '<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ul>'],
    ['1. a\n   - b\n2. c', '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>'],
    ['1. a\n  - b', '<ol><li>a<ul><li>b</li></ul></li></ol>'],
    ['- a\ncontinues\n\nnot', '<ul><li>a\ncontinues</li></ul><p>not</p>'],
    ['- a\n\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n\n  b', '<ul><li><p>a</p><p>b</p></li></ul>'],
    ['- a\n  ```\n  code\n  ```', '<ul><li>a<pre><code>code</code></pre></li></ul>'],
    [
      '- [x] done\n- [ ] open',
      '<ul><li><span class=task>☑</span> done</li><li><span class=task>☐</span> open</li></ul>',
    ],
    ['text\n- a', '<p>text</p><ul><li>a</li></ul>'],
    ['- a\n1. b', '<ul><li>a</li></ul><ol><li>b</li></ol>'],
  ])('reads the list %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('begins a list at the number that it begins with', () => {
    expect(markdownNodes('7. a\n8. b').map((node) => outline(node, ['start']))).toEqual([
      '<ol start=7><li>a</li><li>b</li></ol>',
    ]);
  });

  it('reads tables with their sides, and what only looks like one as text', () => {
    expect(shown('| a | b \\| c |\n|:-:|--:|\n| 1 | **2** |\n| 3')).toBe(
      '<div class=table><table><thead><tr><th class=center>a</th><th class=right>b | c</th></tr></thead>' +
        '<tbody><tr><td class=center>1</td><td class=right><strong>2</strong></td></tr>' +
        '<tr><td class=center>3</td><td class=right></td></tr></tbody></table></div>',
    );
    expect(shown('a | b\n--- | --- | ---')).toBe('<p>a | b\n--- | --- | ---</p>');
    expect(shown('a | b\nc | d')).toBe('<p>a | b\nc | d</p>');
  });

  it('keeps all the text of what nests deeper than it shows', () => {
    const deep = `${'> '.repeat(40)}end`;
    expect(markdownNodes(deep).map(textOf).join('')).toBe(`${'> '.repeat(32)}end`);
  });
});

describe('text', () => {
  it.each([
    [
      '*a* _b_ **c** __d__ ***e*** ~~f~~',
      '<em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em> <del>f</del>',
    ],
    ['**a *b* c**', '<strong>a <em>b</em> c</strong>'],
    ['*a **b***', '<em>a <strong>b</strong></em>'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2<em>3</em>4'],
    ['a * b * c', 'a * b * c'],
    ['**not closed', '**not closed'],
    ['*a **b*', '*a *<em>b</em>'],
    ['~a~', '~a~'],
    ['`a *b*` ``c ` d`` `open', '<code>a *b*</code> <code>c ` d</code> `open'],
    ['\\*a\\* \\q', '*a* \\q'],
    ['a  \nb\\\nc', 'a<br></br>b<br></br>c'],
    ['&lt;b&gt; &amp; &#65; &nope; &#0;', '<b> & A &nope; &#0;'],
    ['<b>bold</b> <script>x</script>', '<b>bold</b> <script>x</script>'],
  ])('reads %j', (text, expected) => {
    expect(shown(text)).toBe(`<p>${expected}</p>`);
  });

  it('never makes an element of HTML', () => {
    const [paragraph] = markdownNodes('<img src=x onerror=y> <b>z</b>');
    expect(paragraph).toMatchObject({ tag: 'p', children: ['<img src=x onerror=y> <b>z</b>'] });
  });
});

describe('links', () => {
  it.each([
    ['[a](https://x.org/y "t")', '<a href=https://x.org/y>a</a>'],
    ['[a](<https://x.org/y z>)', '<span>a</span>'],
    ['[a](https://x.org/(y))', '<a href=https://x.org/(y)>a</a>'],
    ['[**a**](mailto:b@x.org)', '<a href=mailto:b@x.org><strong>a</strong></a>'],
    ['![a picture](https://x.org/p.png)', '<a href=https://x.org/p.png>a picture</a>'],
    ['![](https://x.org/p.png)', '<a href=https://x.org/p.png>https://x.org/p.png</a>'],
    ['<https://x.org>', '<a href=https://x.org>https://x.org</a>'],
    [
      'see https://x.org/a_b_c, or (https://x.org).',
      'see <a href=https://x.org/a_b_c>https://x.org/a_b_c</a>, or (<a href=https://x.org>https://x.org</a>).',
    ],
    ['[a] (b) [c', '[a] (b) [c'],
    [
      '[a [b](https://x.org) c](https://y.org)',
      '[a <a href=https://x.org>b</a> c](<a href=https://y.org>https://y.org</a>)',
    ],
  ])('reads %j', (text, expected) => {
    expect(shown(text)).toBe(`<p>${expected}</p>`);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//x.org',
    '/path',
    'https:x.org',
    'https:///x.org',
    'https://',
    'blob:https://x.org/1',
    'https://x.org/\u202egnp.exe',
    '\u0001javascript:alert(1)',
  ])('leads nowhere with %j', (address) => {
    expect(shown(`[a](${address})`)).not.toContain('<a');
    expect(shown(`[a](<${address}>)`)).not.toContain('href');
  });

  it('shows in the title where a link leads that says something else', () => {
    const titled = (text: string): string =>
      markdownNodes(text)
        .map((node) => outline(node, ['title', 'rel', 'target']))
        .join('');
    expect(titled('[your bank](https://x.org)')).toBe(
      '<p><a title=https://x.org rel=noopener noreferrer target=_blank>your bank</a></p>',
    );
    expect(titled('https://x.org')).toBe('<p><a rel=noopener noreferrer target=_blank>https://x.org</a></p>');
  });
});

it.each([
  '*a ',
  '**',
  '_a',
  '[',
  '![a](',
  '`a ``b',
  '> ',
  '- ',
  '<https://',
  '[a](https://x.org',
  '| a ',
  '~~',
  '&#6',
  '\\',
  '# #',
  '``` `',
])('reads a long text of %j only, and loses none of it', (piece) => {
  const text = piece.repeat(20_000);
  const letters = (read: string): number => [...read].filter((character) => /\w/.test(character)).length;
  expect(letters(markdownNodes(text).map(textOf).join(''))).toBe(letters(text));
});
