/** How the bytes of a fetched page become text that a model can read. */

/** A media type with its parameters set aside; '' for none. */
export const bareType = (contentType: string): string => contentType.replace(/;.*$/s, '').trim().toLowerCase();

const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const PLAIN: ReadonlySet<string> = new Set([
  'application/json',
  'application/ndjson',
  'application/xml',
  'application/yaml',
  'application/javascript',
]);

/** `html` is turned into its words, `plain` is shown as it is; undefined for anything else. */
export const textForm = (contentType: string): 'html' | 'plain' | undefined => {
  const type = bareType(contentType);
  if (HTML.has(type)) return 'html';
  return PLAIN.has(type) || /^text\/.|^application\/.+\+(?:json|xml)$/.test(type) ? 'plain' : undefined;
};

/** How far into a page its own word about its encoding is looked for, in bytes. */
const HEAD_BYTES = 1_024;
const LABEL = /charset\s*=\s*["']?\s*([a-z0-9_:.-]{1,40})/i;

/** Text of a body: in the encoding that the server, else the page itself names, else in UTF-8. Broken characters are replaced. */
export const decodedText = (bytes: Uint8Array, contentType: string): string => {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  const label = LABEL.exec(contentType)?.[1] ?? (textForm(contentType) === 'html' ? LABEL.exec(head)?.[1] : undefined);
  return decoderFor(label).decode(bytes);
};

const decoderFor = (label: string | undefined): InstanceType<typeof TextDecoder> => {
  if (label === undefined) return new TextDecoder();
  try {
    return new TextDecoder(label);
  } catch {
    // An encoding that does not exist says nothing about the bytes.
    return new TextDecoder();
  }
};

/** Text of a page without runs of white space: at most one empty line in a row. */
export const tidyText = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** At most `maxChars` UTF-16 units, never half a character. */
export const cutText = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
};
