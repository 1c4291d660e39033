import { describe, expect, it } from 'vitest';
import { pacedFrames } from './paced-frames.ts';

/** A browser whose frames come every 20 ms, or later where drawing took longer; `tasks` run behind the frame. */
class Page {
  at = 0;
  #frames: (() => void)[] = [];
  #tasks: { readonly at: number; readonly run: () => void }[] = [];
  readonly soon = pacedFrames({
    now: () => this.at,
    frame: (run) => void this.#frames.push(run),
    after: (ms, run) => void this.#tasks.push({ at: this.at + ms, run }),
  });

  /** Draws one frame, which takes so many milliseconds when something changed in it; true if so. */
  draw(tookMs: number): boolean {
    let changed = false;
    this.soon(() => {
      changed = true;
    });
    return this.drawWaiting(tookMs, () => changed);
  }

  drawWaiting(tookMs: number, hasChanged: () => boolean): boolean {
    this.at = Math.ceil((this.at + 1) / 20) * 20;
    this.#runTasks();
    for (const run of this.#frames.splice(0)) run();
    if (hasChanged()) this.at += tookMs;
    this.#runTasks();
    return hasChanged();
  }

  #runTasks(): void {
    const due = this.#tasks.filter(({ at }) => at <= this.at);
    this.#tasks = this.#tasks.filter(({ at }) => at > this.at);
    for (const { run } of due) run();
  }
}

/** When a change that is asked for at once is drawn, as the time at which its frame began. */
const drawnAt = (page: Page): number => {
  let at: number | undefined;
  page.soon(() => {
    at = page.at;
  });
  while (at === undefined) page.drawWaiting(0, () => at !== undefined);
  return at;
};

describe('changes before frames', () => {
  it('come with each frame while frames are quick', () => {
    const page = new Page();
    expect([page.draw(16), page.draw(16), page.draw(16)]).toEqual([true, true, true]);
    expect(page.at).toBe(76);
  });

  it('rest after a slow frame for as long as it took', () => {
    const page = new Page();
    // The frame begins at 20 and ends at 70; it rests until 120.
    page.draw(50);
    expect(page.at).toBe(70);
    expect(drawnAt(page)).toBe(120);
  });

  it('rest a tenth of a second at most', () => {
    const page = new Page();
    // From 20 to 3,020: the rest ends at 3,120.
    page.draw(3_000);
    expect(drawnAt(page)).toBe(3_120);
  });

  it('come with each frame again when frames are quick again', () => {
    const page = new Page();
    page.draw(50);
    drawnAt(page);
    expect(page.draw(10)).toBe(true);
    expect(page.draw(10)).toBe(true);
  });
});
