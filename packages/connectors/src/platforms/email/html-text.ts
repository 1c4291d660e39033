const HIDDEN = new Set(['head', 'script', 'style']);
const BLOCKS = /^(?:br|\/(?:p|div|tr|li|h[1-6]|blockquote))$/;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The text of a mail that has only HTML: no tags, a new line after each block. One step for each `<`, whatever a stranger has written. */
export function textOfHtml(html: string): string {
  const [first = '', ...rest] = html.split('<');
  const texts = [textOf(first)];
  let hiddenUntil = '';
  for (const part of rest) {
    const name = /^\/?[a-z][a-z\d]*/i.exec(part)?.[0].toLowerCase() ?? '';
    if (hiddenUntil !== '' && name !== hiddenUntil) continue;
    hiddenUntil = HIDDEN.has(name) ? `/${name}` : '';
    if (hiddenUntil !== '') continue;
    const isComment = part.startsWith('!--');
    const end = part.indexOf(isComment ? '-->' : '>');
    if (BLOCKS.test(name)) texts.push('\n');
    if (end >= 0) texts.push(textOf(part.slice(end + (isComment ? 3 : 1))));
  }
  const lines = texts.join('').split('\n');
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const textOf = (html: string): string =>
  html.replaceAll(/\s+/g, ' ').replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
    const code = Number(name.toLowerCase().replace('#', '').replace(/^x/, '0x'));
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
