// @service chromium
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShopInstance, type Tab } from './harness/index.ts';
import { LargeSeed, type Planted } from './seed/index.ts';

const instance = ShopInstance.ofSuite({ SVC_LIMITS_STEPS_MAX: '500', SVC_TELEMETRY_LOG_LEVEL: 'info' });

const SEED_MS = 120_000;

let planted: Planted;
beforeAll(async () => {
  planted = await new LargeSeed(instance.api).plant();
}, SEED_MS);

/** Elements of the whole page: with all rows of a list in it there would be several ten thousand. */
const MOST_ELEMENTS = 2_500;

const elements = ({ page }: Tab): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);

/** Scrolls to a share of the height, 0 to 1, and lets the page draw what is there. */
const scrollTo = (box: Locator, share: number): Promise<void> =>
  box.evaluate(async (element, to) => {
    element.scrollTop = (element.scrollHeight - element.clientHeight) * to;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, share);

const scrollTop = (box: Locator): Promise<number> => box.evaluate((element) => element.scrollTop);

/** Scrolls to one end again and again, because more is loaded there, until the text is in sight. */
const scrollUntil = async (page: Page, [box, share]: readonly [Locator, number], text: string): Promise<void> => {
  await expect
    .poll(async () => {
      await scrollTo(box, share);
      return page.getByText(text, { exact: true }).first().isVisible();
    })
    .toBe(true);
};

const connection = (page: Page, text: string): Promise<void> =>
  page.locator('footer [role=status]').filter({ hasText: text }).waitFor();

describe('a list of 10,000 resources', () => {
  it('has only those in sight in the page, loads more while it is scrolled, and stays where it is over a restart', async () => {
    await using tab = await instance.tab('admin');
    const { page } = tab;
    tab.watcher.expect(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/,
    );
    await tab.open('/ns/shop/resources/Channel');
    const grid = page.getByRole('grid');
    await page.getByText('room-0000', { exact: true }).waitFor();
    await scrollUntil(page, [grid, 1], 'room-9999');
    expect(await grid.getAttribute('aria-rowcount')).toBe('10002');
    expect(await elements(tab)).toBeLessThan(MOST_ELEMENTS);
    await scrollTo(grid, 0.5);
    const middle = page.getByText('room-5000', { exact: true });
    await middle.waitFor();
    await middle.evaluate((cell) => cell.setAttribute('data-mark', 'kept'));
    const before = await scrollTop(grid);

    await instance.server.kill();
    await connection(page, 'Connection lost');
    await instance.server.restart();
    await connection(page, 'Live');
    await tab.settled();
    expect([await scrollTop(grid), await page.locator('[data-mark=kept]').isVisible()]).toEqual([before, true]);
    await instance.api.ok('POST /v1/ns/shop/channels', { name: 'room-0000a' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect([await scrollTop(grid), await page.locator('[data-mark=kept]').isVisible()]).toEqual([before, true]);
    expect(tab.watcher.take()).toEqual([]);
  });
});

describe('a session of 10,000 parts', () => {
  it('shows its end at once and its beginning to who scrolls there, with few parts in the page', async () => {
    await using tab = await instance.tab('admin');
    const { page } = tab;
    await tab.open(`/ns/shop/agents/support/sessions/${planted.session}`);
    await page.getByText('Part 9999', { exact: true }).waitFor();
    const log = page.getByRole('log');
    expect(await elements(tab)).toBeLessThan(MOST_ELEMENTS);
    await scrollUntil(page, [log, 0], 'Part 0');
    expect(await elements(tab)).toBeLessThan(MOST_ELEMENTS);
    await scrollUntil(page, [log, 1], 'Part 9999');
    expect([await elements(tab), tab.watcher.take()]).toEqual([expect.toSatisfy((count) => count < MOST_ELEMENTS), []]);
  });

  it('shows its newest 200 messages as JSON', async () => {
    await using tab = await instance.tab('admin');
    await tab.open(`/ns/shop/agents/support/sessions/${planted.session}?view=json`);
    const json = tab.page.locator('main pre');
    await json.filter({ hasText: '"Part 6000"' }).waitFor();
    expect(await json.textContent()).not.toContain('"Part 5999"');
    expect(tab.watcher.take()).toEqual([]);
  });
});

describe('a session of 60 short messages', () => {
  it('is there as a whole in a window that is higher than it', async () => {
    const { session } = await instance.api.ok<{ session: { metadata: { name: string } } }>(
      'POST /v1/ns/shop/agents/support/sessions',
      {},
    );
    const id = session.metadata.name.split('/').at(-1) ?? '';
    for (let message = 0; message < 60; message += 1)
      await instance.api.ok(`POST /v1/ns/shop/agents/support/sessions/${id}/messages:append`, {
        message: {
          role: 'ROLE_USER',
          parts: [{ partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: `Short ${message}` }],
        },
      });
    await using tab = await instance.tab('admin');
    await tab.page.setViewportSize({ width: 1280, height: 12_000 });
    await tab.open(`/ns/shop/agents/support/sessions/${id}`);
    await tab.page.getByText('Short 59', { exact: true }).waitFor();
    await tab.page.getByText('Short 0', { exact: true }).waitFor();
    expect(tab.watcher.take()).toEqual([]);
  });
});

describe('a run of 500 steps', () => {
  it('has its steps, its graph and its history in the page as far as they are in sight', async () => {
    await using tab = await instance.tab('admin');
    const { page } = tab;
    await tab.open(`/ns/shop/workflows/long/runs/${planted.run}`);
    await page.getByText('Completed').first().waitFor();
    const steps = page.getByRole('list', { name: 'Steps in the order of the text' });
    await steps.getByText('step-0', { exact: true }).waitFor();
    expect(await elements(tab)).toBeLessThan(MOST_ELEMENTS);
    const history = page.getByRole('region', { name: 'History' });
    await scrollUntil(page, [history, 1], 'run completed');
    await steps.getByRole('button', { name: /step-0/ }).focus();
    for (let press = 0; press < 50; press += 1) await page.keyboard.press('PageDown');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('step-499');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Details' }).getByRole('heading', { name: 'step-499' }).waitFor();
    expect(await elements(tab)).toBeLessThan(MOST_ELEMENTS);
    expect(tab.watcher.take()).toEqual([]);
  });
});

describe('a log of many lines', () => {
  it('follows the newest, keeps the place of who scrolls up, and has few lines in the page', async () => {
    await using tab = await instance.tab('admin');
    const { page } = tab;
    await tab.open('/logs');
    const status = page.getByText(/^\d+ of \d+ lines$/);
    const count = async (): Promise<number> => Number.parseInt((await status.textContent()) ?? '', 10);
    await call(200);
    await expect.poll(count).toBeGreaterThanOrEqual(2_000);
    const log = page.getByRole('log');
    const toTheEnd = (): Promise<number> =>
      log.evaluate(({ scrollHeight, clientHeight, scrollTop: top }) => scrollHeight - clientHeight - top);
    await expect.poll(toTheEnd).toBeLessThan(LINE_PX);
    expect(await elements(tab)).toBeLessThan(MOST_ELEMENTS);
    await scrollTo(log, 0.5);
    const [before, lines] = [await scrollTop(log), await count()];
    await call(20);
    await expect.poll(count).toBeGreaterThanOrEqual(lines + 200);
    expect(await scrollTop(log)).toBe(before);
    await page.getByRole('button', { name: 'To the newest' }).click();
    await expect.poll(toTheEnd).toBeLessThan(LINE_PX);
    expect([await elements(tab), tab.watcher.take()]).toEqual([expect.toSatisfy((found) => found < MOST_ELEMENTS), []]);
  });
});

const LINE_PX = 22;

/** Ten times so many calls, each of which the server notes in its log. */
const call = async (times: number): Promise<void> => {
  for (let done = 0; done < times; done += 1)
    await Promise.all(Array.from({ length: 10 }, () => instance.api.ok('GET /v1/ns/shop/channels/desk')));
};
