import { errorResult, type Tool, textResult } from '../contract.ts';
import { bareType, cutText, decodedText, textForm, tidyText } from './page-text-rules.ts';

/**
 * Reads an address for a namespace: the host must be public or allowed, redirects are checked again, and all of it has a time limit.
 * Throws Fault INVALID_ARGUMENT that says what was refused.
 */
export type FetchPage = (
  namespace: string,
  url: string,
  options: { readonly limitBytes: number; readonly signal: AbortSignal; readonly acceptsHttp: true },
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string; readonly url: string }>;

const NAME = 'fetch_url';
const PAGE_BYTES = 5 * 1024 * 1024;
const DEFAULT_CHARS = 12_000;
const MAX_CHARS = 40_000;
const URL_CHARS = 4_096;
/** Longer than the fetch itself may take, so that its own words about that reach the model. */
const TIMEOUT_MS = 25_000;

export interface FetchUrlDeps {
  readonly fetchPage: FetchPage;
  /** The words of an HTML page. */
  readonly htmlText: (html: string) => string;
}

/** fetch_url(url, max_chars): the text of a public page. */
export const createFetchUrl = ({ fetchPage, htmlText }: FetchUrlDeps): Tool => ({
  name: NAME,
  description:
    'Reads a public web page or file by its http or https address and returns its text: the words of HTML pages, JSON and other text as it is.',
  inputSchema: {
    type: 'object',
    properties: {
      url: { type: 'string', minLength: 1, maxLength: URL_CHARS },
      max_chars: { type: 'integer', minimum: 1, maximum: MAX_CHARS, description: `default ${DEFAULT_CHARS}` },
    },
    required: ['url'],
    additionalProperties: false,
  },
  effect: 'external',
  timeoutMs: TIMEOUT_MS,
  capability: { name: 'research', action: NAME },
  run: async (context, input) => {
    const { namespace, signal } = context;
    const maxChars = Number(input['max_chars'] ?? DEFAULT_CHARS);
    const page = await fetchPage(namespace, String(input['url']), {
      limitBytes: PAGE_BYTES,
      signal,
      acceptsHttp: true,
    });
    const type = bareType(page.contentType);
    const form = textForm(type);
    if (form === undefined) {
      const what = type === '' ? 'content of no stated type' : type;
      return errorResult(NAME, 'failed', `the address holds ${what}, which is not text`);
    }
    const text = decodedText(page.bytes, page.contentType);
    const shown = form === 'html' ? tidyText(htmlText(text)) : text;
    const cut = cutText(shown, maxChars);
    const facts = { url: page.url, media_type: type, chars: shown.length, truncated: cut.length < shown.length };
    return textResult(cut === '' ? '(the page has no text)' : cut, { ...facts, text: cut });
  },
});
