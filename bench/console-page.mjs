/** Pages of the console in Chromium for `console.mjs`, and what is measured in them. */
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const SIZE = { width: 1280, height: 800 };
const SCROLL_MS = 2_000;

const percentile = (values, share) => values.toSorted((one, other) => one - other)[Math.floor(values.length * share)];
const rounded = (value) => Math.round(value * 10) / 10;

/** A browser whose pages show one server. */
export class ConsoleBrowser {
  #browser;
  #origin;

  /** `executablePath` of Chromium, `origin` of the server. */
  static async launch({ executablePath, origin }) {
    const opened = new ConsoleBrowser();
    opened.#browser = await chromium.launch({ executablePath, args: FLAGS });
    opened.#origin = origin;
    return opened;
  }

  close() {
    return this.#browser.close();
  }

  /** A page of a person who comes for the first time; with how long it took until the text was there. */
  async open(address, { throttle = 1, shows, script }) {
    const context = await this.#browser.newContext({ viewport: SIZE });
    const page = await context.newPage();
    if (script !== undefined) await page.addInitScript(script);
    const session = await context.newCDPSession(page);
    if (throttle > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: throttle });
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await tellWhenShown(session, shows);
    const shown = new Promise((resolve) => session.once('Runtime.bindingCalled', resolve));
    const sizes = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname === '/' || pathname.startsWith('/assets/'))
        sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    const began = performance.now();
    await page.goto(this.#origin + address, { waitUntil: 'commit' });
    await shown;
    const shownMs = Math.round(performance.now() - began);
    return new ConsolePage({
      page,
      session,
      sizes,
      shownMs,
      paintMs: await paintMs(page),
      cpuMs: await cpuMs(session),
    });
  }
}

/**
 * The page will call the binding when it shows the text. A locator of playwright would put 70 ms of its own script before those of
 * the page, four times as much where the processor is throttled.
 */
const tellWhenShown = async (session, text) => {
  await session.send('Page.enable');
  await session.send('Runtime.enable');
  await session.send('Runtime.addBinding', { name: 'benchShown' });
  const source = `(${watchText})(${JSON.stringify(text)})`;
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source });
};

/** Runs in the page, from before its own scripts until the text is there. */
const watchText = (text) => {
  const look = () => {
    const root = document.getElementById('root');
    if (!root?.textContent.includes(text)) return;
    observer.disconnect();
    globalThis.benchShown('');
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
};

/** Milliseconds of processor time of the page's main thread. */
const cpuMs = async (session) => {
  const { metrics } = await session.send('Performance.getMetrics');
  return Math.round(metrics.find(({ name }) => name === 'TaskDuration').value * 1_000);
};

/** Milliseconds from the address to the first frame with content (First Contentful Paint, W3C Paint Timing). */
const paintMs = (page) => page.evaluate(firstPaint);

/** Runs in the page. The text may be there before the frame that shows it. */
const firstPaint = () =>
  new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(Math.round(paint.startTime));
    });
    observer.observe({ type: 'paint', buffered: true });
  });

class ConsolePage {
  #session;
  #sizes;

  constructor({ page, session, sizes, shownMs, paintMs: paint, cpuMs: cpu }) {
    this.page = page;
    this.shownMs = shownMs;
    this.paintMs = paint;
    this.cpuMs = cpu;
    this.#session = session;
    this.#sizes = sizes;
  }

  async close() {
    this.page.removeAllListeners('response');
    await Promise.all(this.#sizes);
    await this.page.context().close();
  }

  /** Of everything of the console that it loaded so far, as gzip. */
  async gzipKiB() {
    const sizes = await Promise.all(this.#sizes);
    return rounded(sizes.reduce((sum, size) => sum + size, 0) / 1_024);
  }

  /** Heap of the page after a collection, and its elements. */
  async weight() {
    await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage');
    const elements = await this.page.evaluate(() => document.querySelectorAll('*').length);
    return { heapMiB: rounded(usedSize / 2 ** 20), elements };
  }

  /** Gaps between frames, in milliseconds, while the element scrolls up or down by itself. */
  async scroll(selector, direction = 1) {
    const gaps = await this.page.locator(selector).evaluate(scrollBy, [SCROLL_MS, direction]);
    return { ...gapFigures(gaps), ...(await this.weight()) };
  }

  /** Gaps between frames while something else happens. */
  async watchFrames(ms) {
    return gapFigures(await this.page.evaluate(watchGaps, ms));
  }

  /** How long words took from the network to the screen, after `countWords` was the script of the page. */
  async wordDelays() {
    const delays = await this.page.evaluate(() => globalThis.benchDelays);
    return { words: delays.length, p50Ms: rounded(percentile(delays, 0.5)), p95Ms: rounded(percentile(delays, 0.95)) };
  }
}

const gapFigures = (gaps) => ({
  frames: gaps.length,
  p50Ms: rounded(percentile(gaps, 0.5)),
  p95Ms: rounded(percentile(gaps, 0.95)),
});

/** Runs in the page. */
const scrollBy = (element, [ms, direction]) =>
  new Promise((resolve) => {
    const found = [];
    let last = performance.now();
    const end = last + ms;
    const frame = (now) => {
      found.push(now - last);
      last = now;
      element.scrollTop += (direction * element.scrollHeight) / 600;
      if (now < end) requestAnimationFrame(frame);
      else resolve(found);
    };
    requestAnimationFrame(frame);
  });

/** Runs in the page. */
const watchGaps = (ms) =>
  new Promise((resolve) => {
    const found = [];
    let last = performance.now();
    const end = last + ms;
    const frame = (now) => {
      found.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(frame);
      else resolve(found);
    };
    requestAnimationFrame(frame);
  });

/**
 * Runs in the page before its own code: notes when each word `tok` of an answer was read from the network, and how many milliseconds
 * later the frame was drawn that shows it.
 */
export const countWords = () => {
  const came = [];
  globalThis.benchDelays = [];
  const { fetch } = globalThis;
  const count = (text) => text.split('tok').length - 1;
  globalThis.fetch = async (...parameters) => {
    const answer = await fetch(...parameters);
    if (!String(parameters[0]).includes('/stream') || answer.body === null) return answer;
    const decoder = new TextDecoder();
    const noted = new TransformStream({
      transform: (chunk, controller) => {
        const now = performance.now();
        for (let word = count(decoder.decode(chunk, { stream: true })); word > 0; word -= 1) came.push(now);
        controller.enqueue(chunk);
      },
    });
    return new Response(answer.body.pipeThrough(noted), { status: answer.status, headers: answer.headers });
  };
  const look = () => {
    // The person's own message asks for the words, and names one.
    const shown = count(document.querySelector('[role=log]')?.textContent ?? '') - 1;
    // What this frame shows is drawn before the next one.
    requestAnimationFrame((now) => {
      while (globalThis.benchDelays.length < Math.min(shown, came.length))
        globalThis.benchDelays.push(now - came[globalThis.benchDelays.length]);
      look();
    });
  };
  requestAnimationFrame(look);
};
