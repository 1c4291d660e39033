import { until } from '../../server-process/index.ts';
import type { Tab } from '../harness/index.ts';
import { approach, beginCounting, type Control, controlsOf, stateOf } from './controls.ts';

/** How a control is reached: the address that is opened, and the keys of what is clicked there, one after the other. */
interface Way {
  readonly address: string;
  readonly keys: readonly string[];
}

interface CrawlReport {
  /** Controls that do nothing or do not say why they are off, and what else went wrong; by address and name. */
  readonly faults: readonly string[];
  /** Names of everything that was clicked. */
  readonly clicked: readonly string[];
}

/** What a menu opens. */
const MOST_CLICKS = 2;
/** Within this time a click has to change something. */
const CHANGE_MS = 500;
/** What a frame shows on every screen is clicked once. */
const FRAME = /^(?:nav|footer|body|header) /;
/** A control that did something on so many screens is a part that all screens share, such as the menu of copies. */
const SHARED_BY = 3;
/** Answers of 4xx, which a click may bring about: the person reads them on the page. */
const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;

interface CrawlOptions {
  /** Leaves the frame of the page and all links alone: they are the same for everyone. */
  readonly onlyActions?: boolean;
  /**
   * So many controls of each screen are clicked, all of them if not given: those that are seen at once before those that a click opens.
   * The frame and what is off do not count.
   */
  readonly mostOfScreen?: number;
}

/** Clicks through the screens at the given addresses, signed in as the tab is. */
export class Crawler {
  readonly #tab: Tab;
  readonly #onlyActions: boolean;
  readonly #mostOfScreen: number;
  readonly #addresses: readonly string[];
  readonly #ways: Way[] = [];
  readonly #known = new Set<string>();
  /** Windows and choosers of files that were opened: no part of the page shows them. */
  #opened = 0;
  /** Controls of the screen being visited that were chosen to be clicked. */
  #count = 0;
  /** On how many screens a control did something, by key. */
  readonly #uses = new Map<string, number>();
  /** Controls of the frame that did nothing so far, by key. */
  readonly #idle = new Map<string, string>();
  readonly #faults: string[] = [];
  readonly #clicked: string[] = [];

  constructor(
    tab: Tab,
    addresses: readonly string[],
    { onlyActions = false, mostOfScreen = Number.POSITIVE_INFINITY }: CrawlOptions = {},
  ) {
    this.#tab = tab;
    this.#onlyActions = onlyActions;
    this.#mostOfScreen = mostOfScreen;
    this.#addresses = addresses;
    tab.watcher.expect(REFUSED);
    tab.page.on('filechooser', () => {
      this.#opened += 1;
    });
    tab.page.on('download', (download) => {
      this.#opened += 1;
      void download.cancel();
    });
    // A page behind another one draws nothing, and everything here waits for it to draw.
    tab.page.on('popup', (popup) => {
      this.#opened += 1;
      void popup.close();
    });
  }

  async run(): Promise<CrawlReport> {
    await this.#tab.open('/');
    for (const address of this.#addresses) {
      this.#count = 0;
      this.#ways.push({ address, keys: [] });
      for (let way = this.#ways.shift(); way !== undefined; way = this.#ways.shift()) await this.#walk(way);
    }
    return { faults: [...this.#faults, ...this.#idle.values()], clicked: this.#clicked };
  }

  /** Goes the way, tries its last click, and notes the controls that it brought to light. */
  async #walk(way: Way): Promise<void> {
    if (!(await this.#isThere(way))) await this.#arrive(way.address);
    for (const [at, key] of way.keys.entries()) {
      const control = (await controlsOf(this.#tab.page)).find((found) => found.key === key);
      // What an earlier click deleted or answered is no longer there.
      if (control === undefined) return;
      const didSomething = await this.#click(control);
      if (at === way.keys.length - 1) this.#judge(way, control, didSomething);
    }
    for (const problem of this.#tab.watcher.take()) this.#fault(way, problem);
    const isElsewhere = way.keys.length > 0 && pathOf(this.#tab.address) !== pathOf(way.address);
    if (!isElsewhere && way.keys.length < MOST_CLICKS) await this.#note(way);
  }

  /** True when an earlier click left the page so that the way, which is one click long, can be gone from there. */
  async #isThere({ address, keys }: Way): Promise<boolean> {
    const [first = ''] = keys;
    const isFrame = FRAME.test(first);
    if (keys.length !== 1 || !(isFrame || this.#tab.address === address)) return false;
    if (!(await this.#tab.page.evaluate(isPlain))) return false;
    return (await controlsOf(this.#tab.page)).some(({ key }) => key === first);
  }

  /** A control of the frame may have nothing to do on one screen: it is tried on the next one again. */
  #judge(way: Way, control: Control, didSomething: boolean): void {
    const { key, title, isChosen } = control;
    this.#clicked.push(title);
    const isFrame = FRAME.test(key);
    if (didSomething) this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
    if (didSomething || isChosen) this.#idle.delete(key);
    else if (!isFrame) this.#fault(way, `${title} does nothing`);
    else {
      this.#known.delete(key);
      this.#idle.set(key, `${way.address} ${title} does nothing`);
    }
  }

  /** Queues the controls on the page that no other way led to. */
  async #note(way: Way): Promise<void> {
    for (const control of await controlsOf(this.#tab.page)) {
      if (this.#isLeftOut(control)) continue;
      const id = FRAME.test(control.key) ? control.key : `${screenOf(way.address)} ${control.key}`;
      if (this.#known.has(id) || way.keys.includes(control.key)) continue;
      const isBounded = control.isOn && !FRAME.test(control.key);
      if (isBounded && this.#count >= this.#mostOfScreen) continue;
      if (isBounded) this.#count += 1;
      this.#known.add(id);
      if (control.isOn) this.#ways.push({ address: way.address, keys: [...way.keys, control.key] });
      else if (!control.saysWhy) this.#fault(way, `${control.title} is off and does not say why`);
    }
  }

  /** True for what is not asked for here, and for what did something on enough screens already. */
  #isLeftOut({ key, role, isOn }: Control): boolean {
    if (this.#onlyActions && (role === 'link' || FRAME.test(key))) return true;
    return isOn && (this.#uses.get(key) ?? 0) >= SHARED_BY;
  }

  /** True when something changed: the page, its address, the focus, or a request went out. */
  async #click(control: Control): Promise<boolean> {
    const { page, traffic } = this.#tab;
    const click = await approach(page, control);
    await beginCounting(page);
    const seen = async (): Promise<string> => `${traffic.count} ${this.#opened} ${await stateOf(page).catch(() => '')}`;
    const before = await seen();
    await click();
    const hasChanged = await until(
      `${control.title} changes something`,
      async () => ((await seen()) === before ? undefined : true),
      CHANGE_MS,
    ).catch(() => false);
    await this.#tab.settled();
    return hasChanged;
  }

  /** A page as fresh as a reload makes it, without one where that will do. */
  async #arrive(address: string): Promise<void> {
    const { page } = this.#tab;
    for (let tries = 0; tries < MOST_CLICKS && (await page.evaluate(hasOverlay)); tries += 1)
      await page.keyboard.press('Escape');
    if (await page.evaluate(isPlain)) await this.#tab.follow('/no/such/screen', address);
    else await this.#tab.open(address);
  }

  #fault({ address }: Way, text: string): void {
    this.#faults.push(`${address} ${text}`);
  }
}

const pathOf = (address: string): string => address.replace(/\?.*$/, '');

/** The same for all addresses of one screen: names and ids of things left out, each of which follows the word for its kind. */
const screenOf = (address: string): string =>
  pathOf(address).replace(/\/(ns|agents|sessions|workflows|runs|resources)\/[^/]+/g, '/$1/*');

/** Runs in the page, after what was pressed had its effect. */
const hasOverlay = async (): Promise<boolean> => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return document.querySelector('dialog[open], [role=dialog], [role=menu], [role=alertdialog]') !== null;
};

/** Runs in the page: the frame is there, and nothing lies over it. */
const isPlain = (): boolean =>
  document.querySelector('nav') !== null &&
  document.querySelector('dialog[open], [role=dialog], [role=menu], [role=alertdialog]') === null;
