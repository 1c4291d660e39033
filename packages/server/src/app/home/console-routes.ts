import { createHash } from 'node:crypto';
import { namesTag } from '../../base/network/index.ts';
import type { HttpExchange, HttpRoute } from '../../operations/index.ts';
import { answerFile, SAFE } from './answer-file.ts';
import type { BuiltFile } from './built-files.ts';
import type { ConsoleFiles } from './console-files.ts';
import { type ConsoleFacts, consolePage } from './console-page.ts';

/** Nothing from elsewhere, nothing inside the page itself, no frame around it; requests go to these origins too. */
const policyFor = (origins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const OF_PAGES = {
  ...SAFE,
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache',
  vary: 'accept',
};
const OF_ASSETS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

const ASSETS = '/assets/';

type Asked = Pick<HttpExchange, 'path' | 'header'>;

/** Addresses of screens contain names, which may have dots; one with a dot in the first part is not a screen, such as `/robots.txt`. */
const isPage = (asked: Asked): boolean =>
  !asked.path.startsWith(ASSETS) &&
  !/^\/[^/]*\./.test(asked.path) &&
  /\btext\/html\b/i.test(asked.header('accept') ?? '');

const assetOf = ({ assets }: ConsoleFiles, { path }: Asked): BuiltFile | undefined =>
  path.startsWith(ASSETS) ? assets.get(path.slice(ASSETS.length)) : undefined;

/**
 * The built console, without a credential: the page at `/` and at every address that no other route has and that a browser opens, and
 * the files that it loads. Everything else is answered as without a console.
 */
export const consoleRoutes = (
  files: ConsoleFiles,
  facts: ConsoleFacts & { readonly origins: readonly string[] },
): readonly HttpRoute[] => {
  const policy = policyFor(facts.origins);
  const page = Buffer.from(consolePage(files.page, facts));
  const etag = `"${createHash('sha256').update(page).digest('base64url')}"`;
  const answerPage = async (exchange: HttpExchange): Promise<void> => {
    const headers = { ...OF_PAGES, 'content-security-policy': policy, etag };
    if (namesTag(exchange.header('if-none-match'), etag)) exchange.answer(304, headers);
    else exchange.answer(200, headers, page);
  };
  const open = { method: 'GET', authenticated: false } as const;
  return [
    { ...open, pattern: '/', handle: answerPage },
    {
      ...open,
      pattern: '/{path=**}',
      takes: (asked) => assetOf(files, asked) !== undefined || isPage(asked),
      handle: (exchange) => {
        const asset = assetOf(files, exchange);
        return asset === undefined ? answerPage(exchange) : answerFile(exchange, asset, OF_ASSETS);
      },
    },
  ];
};
