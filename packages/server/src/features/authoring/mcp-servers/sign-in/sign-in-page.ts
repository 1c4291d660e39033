import { createHash } from 'node:crypto';
import { htmlText } from '../../../../base/words/index.ts';
import type { OAuthFailure } from '../../../../protocols/mcp-oauth/contract.ts';
import type { SignInOutcome } from './sign-ins.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6570;--page:#f6f7f9}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#98a2ad;--page:#111418}}
body{margin:0;background:var(--page);color:var(--ink);font:17px/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}
p{color:var(--soft);margin:.25rem 0 1rem}
`;

/** Nothing is loaded, framed or sent, and no script runs. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The address of the page has the code in it: it is neither kept nor sent to other sites. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const page = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${htmlText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${htmlText(title)}</h1>
<p>${htmlText(text)}</p>
</main>
</body>
</html>
`;

/** An address whose client is unknown by now never works again. */
const nextStep = ({ kind }: OAuthFailure): string =>
  kind === 'client' ? 'Ask the agent again for another address.' : 'Open the address again to try once more.';

/** Status and page for a browser that came back. What the other side wrote is not repeated. */
export const outcomePage = (outcome: SignInOutcome): { readonly status: number; readonly html: string } => {
  switch (outcome.kind) {
    case 'done':
      return {
        status: 200,
        html: page(`Signed in to ${outcome.server}`, 'What waited for it continues now. You can close this page.'),
      };
    case 'already':
      return {
        status: 200,
        html: page(`Signed in to ${outcome.server}`, 'This was done before. You can close this page.'),
      };
    case 'refused':
      return {
        status: 400,
        html: page(
          `Not signed in to ${outcome.server}`,
          'The sign-in was refused. Open the address again to try once more, or decline the request.',
        ),
      };
    case 'failed':
      return {
        status: outcome.failure.kind === 'issuer' ? 400 : 502,
        html: page(
          `Not signed in to ${outcome.server}`,
          `It failed: ${outcome.failure.message}. ${nextStep(outcome.failure)}`,
        ),
      };
    case 'unknown':
      return {
        status: 410,
        html: page(
          'This sign-in is not valid any more',
          'It expired, it was used, or its address is incomplete. Ask the agent again for another one.',
        ),
      };
  }
};
