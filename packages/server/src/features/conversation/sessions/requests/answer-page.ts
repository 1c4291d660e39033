import { createHash } from 'node:crypto';
import { htmlText } from '../../../../base/words/index.ts';
import { kindOf, type PermissionData } from '../../../../runtime/contract.ts';
import { type FormField, formFields, inputName } from './answer-form.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6570;--line:#dfe3e8;--page:#f6f7f9;--card:#fff;--key:#0a6e5c;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#98a2ad;--line:#2c333b;--page:#111418;--card:#191d22;--key:#5fd0b5;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:17px/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}
p{color:var(--soft);margin:.25rem 0 1rem}
p.bad{color:var(--bad)}
pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.85rem/1.5 ui-monospace,monospace;max-height:18rem;overflow:auto}
label{display:block;margin:1rem 0}
label small{display:block;color:var(--soft)}
input[type=text],input[type=number],textarea,select{display:block;width:100%;margin-top:.3rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.65rem .8rem}
textarea{min-height:7rem}
button,a.go{display:block;width:100%;margin-top:.75rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:10px;border:1px solid var(--key);background:var(--key);color:var(--page);padding:.8rem;cursor:pointer}
button.no{background:none;color:var(--ink);border-color:var(--line)}
:focus-visible{outline:3px solid var(--key);outline-offset:2px}
`;

/** Nothing may be loaded or framed, no script runs, and the form goes to this server only. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every answer under a link: its address is a secret, so it is neither cached nor sent to other sites. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * Overrides the Referrer-Policy header. With that header alone a browser sends the form with `Origin: null`, which is refused like every
 * foreign origin. Other sites still learn nothing.
 */
const REFERRER = '<meta name="referrer" content="same-origin">';

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${REFERRER}
<title>${htmlText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** A page that says one thing and asks nothing. */
export const messagePage = (title: string, text: string): string =>
  page(title, `<h1>${htmlText(title)}</h1><p>${htmlText(text)}</p>`);

const fieldHtml = (field: FormField): string => {
  const name = htmlText(inputName(field));
  const required = field.isRequired ? ' required' : '';
  const label = `${htmlText(field.label)}${field.description === '' ? '' : `<small>${htmlText(field.description)}</small>`}`;
  if (field.kind === 'boolean') return `<label><input type="checkbox" name="${name}"> ${label}</label>`;
  if (field.kind === 'choice') {
    const choices = field.choices.map((choice) => `<option>${htmlText(choice)}</option>`).join('');
    // Begins empty: a browser would send the first choice for a person who chose nothing.
    return `<label>${label}<select name="${name}"${required}><option value=""></option>${choices}</select></label>`;
  }
  if (field.kind === 'number')
    return `<label>${label}<input type="number" step="any" name="${name}"${required}></label>`;
  if (field.kind === 'json')
    return `<label>${label}<small>JSON</small><textarea name="${name}"${required}></textarea></label>`;
  return field.name === ''
    ? `<label>${label}<textarea name="${name}"${required}></textarea></label>`
    : `<label>${label}<input type="text" name="${name}"${required}></label>`;
};

const buttonHtml = ({ id, name, allow }: PermissionData['options'][number]): string =>
  `<button type="submit" name="option" value="${htmlText(id)}"${allow ? '' : ' class="no" formnovalidate'}>${htmlText(name)}</button>`;

const isHttp = (url: string): boolean => url.startsWith('https://') || url.startsWith('http://');

/** The question with what can be answered; `problem` says what was wrong with an answer just sent. */
export const questionPage = (data: PermissionData, problem = ''): string => {
  const kind = kindOf(data);
  const fields = kind === 'input' ? formFields(data.schema ?? {}) : [];
  const isSignIn = kind === 'sign_in';
  // Only the sign-in itself says that it succeeded.
  const options = data.options.filter((option) => !isSignIn || !option.allow);
  const input = kind === 'permission' ? `<pre>${htmlText(JSON.stringify(data.input ?? {}, null, 2))}</pre>` : '';
  const url = data.url ?? '';
  const link = isSignIn && isHttp(url) ? `<a class="go" rel="noreferrer" href="${htmlText(url)}">Sign in</a>` : '';
  return page(
    data.prompt,
    `<h1>${htmlText(data.prompt)}</h1>
<p>${htmlText(data.agent)} in ${htmlText(data.namespace)} waits for your answer.</p>
${problem === '' ? '' : `<p class="bad" role="alert">${htmlText(problem)}</p>`}
${input}${link}
<form method="post">
${fields.map(fieldHtml).join('\n')}
${options.map(buttonHtml).join('\n')}
</form>`,
  );
};
