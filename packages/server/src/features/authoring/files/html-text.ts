const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

interface Span {
  readonly begin: RegExp;
  readonly end: RegExp;
}

const COMMENT: Span = { begin: /<!--/g, end: /-->/g };
const SCRIPT: Span = { begin: /<script\b/gi, end: /<\/script\s*>/gi };
const STYLE: Span = { begin: /<style\b/gi, end: /<\/style\s*>/gi };
const HEADING: Span = { begin: /<h([1-6])\b/gi, end: />/g };
const TAG: Span = { begin: /</g, end: />/g };
const BREAK = /<\/(?:p|div|li|tr|h[1-6]|section|article)\s*>|<br\s*\/?>/gi;
const REFERENCE = /&(#?[a-z0-9]{1,8});/gi;

/** The words of a page with headings as in Markdown; takes time by the length of the text, whatever it holds. */
export const htmlText = (html: string): string => {
  const shown = [COMMENT, SCRIPT, STYLE].reduce((text, span) => replaced(text, span, () => ' '), html);
  const headed = replaced(shown, HEADING, (depth) => `\n\n${'#'.repeat(Number(depth))} `);
  return replaced(headed.replace(BREAK, '\n\n'), TAG, () => ' ').replace(
    REFERENCE,
    (whole: string, name: string) => entity(name) ?? whole,
  );
};

/** The text with each span replaced; `by` gets what the beginning captured. Where no end follows, none follows further on. */
const replaced = (text: string, { begin, end }: Span, by: (captured: string) => string): string => {
  let result = '';
  let at = 0;
  for (;;) {
    begin.lastIndex = at;
    const open = begin.exec(text);
    end.lastIndex = begin.lastIndex;
    if (open === null || !end.test(text)) return result + text.slice(at);
    result += text.slice(at, open.index) + by(open[1] ?? '');
    at = end.lastIndex;
  }
};

/** What a character reference stands for; undefined for one that is not known. */
const entity = (name: string): string | undefined => {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()];
  const digits = name.slice(1).toLowerCase();
  const code = digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  return Number.isInteger(code) && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
};
