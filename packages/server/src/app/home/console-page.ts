import { htmlText } from '../../base/words/index.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';

/** What the page may know before anyone signed in. */
export interface ConsoleFacts {
  readonly title: string;
  /** The page hides every action that writes. */
  readonly readOnly: boolean;
  /** Ways to sign in, in the order in which they are tried. */
  readonly authModes: readonly string[];
  /** Where people may sign in besides; undefined for nowhere. */
  readonly provider?: ProviderSignIn | undefined;
  /** What `/version` tells everyone as well. */
  readonly version: string;
}

const TITLE = /<title>[^<]*<\/title>/;

/** index.html with the facts as `<meta name="svc-...">`. Throws for a page without a title, which no build of ours makes. */
export const consolePage = (built: string, facts: ConsoleFacts): string => {
  if (!TITLE.test(built)) throw new Error('index.html of the console has no title');
  const head = [
    `<title>${htmlText(facts.title)}</title>`,
    meta('svc-title', facts.title),
    ...(facts.readOnly ? [meta('svc-read-only', 'true')] : []),
    meta('svc-auth-mode', facts.authModes.join(',')),
    ...(facts.provider === undefined ? [] : [meta('svc-provider', JSON.stringify(facts.provider))]),
    meta('svc-version', facts.version),
  ];
  return built.replace(TITLE, () => head.join('\n    '));
};

const meta = (name: string, content: string): string => `<meta name="${name}" content="${htmlText(content)}" />`;
