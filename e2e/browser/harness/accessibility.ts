import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The small form: half as much to send to a page and to read there. */
const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

interface AxeWindow {
  readonly axe?: { run(where: Document, options: object): Promise<AxeResults> };
}

/** Rules of WCAG 2.0 and 2.1, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa'];

/** The only rule whose verdict other colours can change. */
const COLOURS = ['color-contrast'];

/** Which rules judge: all of them, or those about colours, for a page that was judged in other colours before. */
export type Rules = 'all' | 'colours';

/** Violations on the page, one text for each element. Scripts that a debugger evaluates are not subject to the page's policy. */
export const accessibilityFaults = async (page: Page, rules: Rules = 'all'): Promise<readonly string[]> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    await page.evaluate(source);
    // Sent once, not for each address that is loaded and judged later.
    await page.addInitScript(source);
  }
  const violations = await page.evaluate(
    async (runOnly) => {
      const inPage = (globalThis as AxeWindow).axe;
      if (inPage === undefined) throw new Error('axe-core is not there');
      return (await inPage.run(document, { runOnly, resultTypes: ['violations'] })).violations;
    },
    rules === 'all' ? TAGS : COLOURS,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
};
