import { createHash } from 'node:crypto';
import { htmlText } from '../../base/words/index.ts';

interface HomePage {
  readonly version: string;
  readonly needsCredential: boolean;
  /** Address by which the reader reached this server, without a trailing slash. */
  readonly url: string;
  /** What this server runs, by label. */
  readonly running: Readonly<Record<string, string>>;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6570;--line:#dfe3e8;--page:#f6f7f9;--card:#fff;--key:#0a6e5c}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#98a2ad;--line:#2c333b;--page:#111418;--card:#191d22;--key:#5fd0b5}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:4rem 1.25rem 3rem}
h1{margin:0;font-size:2.1rem;letter-spacing:-.02em}
h1 small{font-size:.95rem;font-weight:400;letter-spacing:0;color:var(--soft);margin-left:.6rem}
p{margin:.5rem 0 0;color:var(--soft)}
h2{margin:2.25rem 0 .75rem;font-size:.8rem;font-weight:600;letter-spacing:.08em;text-transform:uppercase;color:var(--soft)}
section>dl,section>ul{margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr}
dt,dd{margin:0;padding:.65rem 1rem;border-top:1px solid var(--line)}
dt:first-of-type,dd:first-of-type{border-top:0}
dt{color:var(--soft)}
dd{overflow-wrap:anywhere}
ul{list-style:none}
li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:.65rem 1rem}
li+li{border-top:1px solid var(--line)}
li>div{min-width:0}
code{font:.9rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere;user-select:all}
li span{display:block;font-size:.85rem;color:var(--soft)}
button{flex:none;font:inherit;font-size:.8rem;color:var(--key);background:none;border:1px solid var(--line);border-radius:7px;padding:.25rem .7rem;cursor:pointer}
button:hover{border-color:var(--key)}
a{color:var(--key)}
:focus-visible{outline:2px solid var(--key);outline-offset:2px}
nav{display:flex;flex-wrap:wrap;gap:.4rem 1.25rem}
footer{margin-top:2.5rem;font-size:.85rem;color:var(--soft)}
`;

const SCRIPT = `
for (const button of document.querySelectorAll('button')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing may be loaded, sent or framed; only the style and the script of the page itself are allowed. */
export const contentPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const DEFAULT_URL = 'http://127.0.0.1:7420';

interface Command {
  readonly line: string;
  readonly what: string;
}

const commandsOf = ({ url, needsCredential }: HomePage): readonly Command[] => {
  const server = url === DEFAULT_URL ? '' : ` --server ${url}`;
  if (needsCredential)
    return [
      { line: `svc login${server} --token TOKEN`, what: 'sign in; --password and --api-key work too' },
      { line: 'svc whoami', what: 'who you are and what you may do' },
      { line: 'svc chat AGENT', what: 'talk to an agent' },
    ];
  return [
    { line: `svc chat${server}`, what: 'talk to the demo agent' },
    { line: `svc get agents -A${server}`, what: 'the agents of every namespace' },
    { line: `svc apply -f FILE${server}`, what: 'create or update resources from manifests' },
    { line: `svc doctor${server}`, what: 'check that everything is well' },
    { line: `curl -s ${url}/v1/ns/default/agents/demo/sessions --json '{}'`, what: 'begin a conversation over HTTP' },
  ];
};

const LINKS: readonly (readonly [path: string, text: string])[] = [
  ['/openapi.json', 'REST description'],
  ['/version', 'Version'],
  ['/healthz', 'Health'],
  ['/readyz', 'Readiness'],
  ['/metrics', 'Metrics'],
];

const runningHtml = (running: HomePage['running']): string => {
  const rows = Object.entries(running).map(
    ([label, value]) => `<dt>${htmlText(label)}</dt><dd>${htmlText(value)}</dd>`,
  );
  return rows.length === 0 ? '' : `<section><h2>What runs here</h2><dl>${rows.join('')}</dl></section>`;
};

const commandHtml = ({ line, what }: Command): string =>
  `<li><div><code>${htmlText(line)}</code><span>${htmlText(what)}</span></div><button type="button">Copy</button></li>`;

/** The whole page as HTML; every text of `page` is escaped. */
export const homePage = (page: HomePage): string => {
  const intro = page.needsCredential
    ? 'This server is up. Sign in to see and use what it runs.'
    : 'This server is up. It runs from its sources, without the web console: <code>npm start</code> builds both and runs them, and so do the packages that <code>npm run build</code> makes. The command line and the API do everything that the console does.';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>svc<small>${htmlText(page.version)}</small></h1>
<p>${intro}</p>
${runningHtml(page.running)}
<section><h2>Try it in a terminal</h2><ul>${commandsOf(page).map(commandHtml).join('')}</ul></section>
<section><h2>Look inside</h2><nav>${LINKS.map(([path, text]) => `<a href="${path}">${text}</a>`).join('')}</nav></section>
<footer>From a clone write <code>npx svc</code>. The guides are in <code>README.md</code> and <code>docs/</code>: command line, configuration, backups, deployments.</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
};
