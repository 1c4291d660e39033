// @service chromium

import { describe, expect, it } from 'vitest';
import { CRAWL_MS, Crawler } from './crawl/index.ts';
import { ShopInstance } from './harness/index.ts';
import { addressesOf } from './screens.ts';

const instance = ShopInstance.ofSuite();

describe('what watches the pages', () => {
  it('sees errors of their code, broken policies, requests elsewhere and failed answers', async () => {
    await using tab = await instance.tab('admin');
    await tab.page.route('**/v1/broken', (route) => route.fulfill({ status: 503, body: '' }));
    await tab.open('/');
    await tab.page.evaluate(async () => {
      console.error('said by the page');
      const thrown = document.createElement('button');
      thrown.addEventListener('click', () => {
        throw new Error('thrown by the page');
      });
      thrown.click();
      const inline = document.createElement('div');
      inline.setAttribute('style', 'color: red');
      document.body.append(inline);
      await fetch('/v1/broken');
      await fetch('http://127.0.0.1:9/elsewhere').catch(() => undefined);
    });
    const problems = tab.watcher.take().join('\n');
    for (const text of [
      'console: said by the page',
      'error: Error: thrown by the page',
      'server error: 503',
      "Applying inline style violates the following Content Security Policy directive 'style-src 'self''",
      'http://127.0.0.1:9/elsewhere',
    ])
      expect(problems).toContain(text);
    expect(tab.watcher.take()).toEqual([]);
  });

  it('sees what people with a screen reader cannot use', async () => {
    await using tab = await instance.tab('admin');
    await tab.open('/');
    await tab.page.evaluate(() => {
      const pale = document.createElement('p');
      pale.textContent = 'Hardly to be read';
      pale.style.color = '#777';
      pale.style.background = '#888';
      document.querySelector('main')?.append(document.createElement('img'), document.createElement('button'), pale);
    });
    const rulesOf = (faults: readonly string[]): readonly string[] =>
      faults.map((fault) => fault.slice(0, fault.indexOf(':'))).toSorted();
    expect(rulesOf(await tab.accessibilityFaults())).toEqual(['button-name', 'color-contrast', 'image-alt']);
    expect(rulesOf(await tab.accessibilityFaults('colours'))).toEqual(['color-contrast']);
  });
});

/** A page with a control of each kind, which its script makes work. */
const PAGE = `<!doctype html><html lang="en"><title>Controls</title><nav><a href="#here">Here</a></nav><main>
  <button id="alive">Alive</button> <button>Dead</button>
  <button aria-disabled="true">Off</button> <button aria-disabled="true" title="Needs an operator">Not for you</button>
  <button aria-pressed="true">Chosen</button>
  <select aria-label="Kind" id="kind"><option>One</option><option>Two</option></select>
  <button id="window">Window</button> <button id="upload">Upload</button> <input type="file" hidden>
  <button id="more">More</button>
</main><script>
  document.querySelector('#alive').onclick = () => { document.title += '!'; };
  document.querySelector('#kind').onchange = () => { document.title += '?'; };
  document.querySelector('#window').onclick = () => { open('about:blank'); };
  document.querySelector('#upload').onclick = () => { document.querySelector('[type=file]').click(); };
  document.querySelector('#more').onclick = () => {
    document.body.insertAdjacentHTML('beforeend', '<div role="dialog"><button>Dead inside</button></div>');
  };
</script></html>`;

describe('what clicks through the pages', () => {
  it('sees what does nothing, also within what another click opens, and what is off without saying why', async () => {
    await using tab = await instance.tab('admin');
    await tab.page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
    const { faults, clicked } = await new Crawler(tab, ['/controls']).run();
    expect(faults.toSorted()).toEqual([
      '/controls button "Dead inside" does nothing',
      '/controls button "Dead" does nothing',
      '/controls button "Off" is off and does not say why',
    ]);
    expect(clicked.toSorted()).toEqual([
      'button "Alive"',
      'button "Chosen"',
      'button "Dead inside"',
      'button "Dead"',
      'button "More"',
      'button "Upload"',
      'button "Window"',
      'link "Here"',
      'select "Kind"',
    ]);
  });

  it('clicks so many controls of a screen as it was told, and judges all that are off', async () => {
    await using tab = await instance.tab('admin');
    await tab.page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
    const { faults, clicked } = await new Crawler(tab, ['/controls'], { mostOfScreen: 1 }).run();
    expect(faults).toEqual(['/controls button "Off" is off and does not say why']);
    expect(clicked).toEqual(['link "Here"', 'button "Alive"']);
  });
});

it.each(['viewer', 'operator'] as const)(
  'the controls of the screens do something for a %s',
  async (role) => {
    await using tab = await instance.tab(role);
    const { faults, clicked } = await new Crawler(tab, addressesOf(instance.seeded), { onlyActions: true }).run();
    expect(faults).toEqual([]);
    expect(clicked).not.toEqual([]);
  },
  CRAWL_MS,
);
