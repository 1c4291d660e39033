import type { Tab } from '../harness/index.ts';
import { approach, type Control, changes, press, type View, viewOf } from './controls.ts';

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

/** How long a test of all screens may take: some hundred clicks, many of which load a screen, on a slow machine. */
export const CRAWL_MS = 900_000;
/** What a menu opens. */
const MOST_CLICKS = 2;
/** Within this time a click changes something, as a rule. */
const CHANGE_MS = 500;
/** A machine that does much else takes its time: only a control that does nothing is waited for so long. */
const LATE_MS = 5_000;
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

/**
 * Clicks through the screens at the given addresses, signed in as the tab is. A control that did something on three screens already is
 * not clicked on the next one again.
 */
export class Crawler {
  readonly #tab: Tab;
  readonly #onlyActions: boolean;
  readonly #mostOfScreen: number;
  readonly #addresses: readonly string[];
  readonly #ways: Way[] = [];
  readonly #known = new Set<string>();
  /** Windows and choosers of files that were opened: no part of the page shows them. */
  #windows = 0;
  /** Controls of the screen being visited that were chosen to be clicked. */
  #count = 0;
  #view: View = { controls: [], isPlain: false, hasOverlay: false };
  /** What the last click on the way to others brought to light, while the page still shows it. */
  #opened: { readonly way: string; readonly controls: string } | undefined;
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
      this.#windows += 1;
    });
    tab.page.on('download', (download) => {
      this.#windows += 1;
      void download.cancel();
    });
    // A page behind another one draws nothing, and everything here waits for it to draw.
    tab.page.on('popup', (popup) => {
      this.#windows += 1;
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
    const start = await this.#startOf(way);
    const isGone = start !== undefined && (await this.#go(way, start));
    if (!isGone) {
      await this.#arrive(way.address);
      // What an earlier click deleted or answered is no longer there.
      if (!(await this.#go(way, 0))) return;
    }
    for (const problem of this.#tab.watcher.take()) this.#fault(way, problem);
    const isElsewhere = way.keys.length > 0 && pathOf(this.#tab.address) !== pathOf(way.address);
    if (!isElsewhere && way.keys.length < MOST_CLICKS) this.#note(way);
  }

  /** Clicks what is on the way, from the given click on; false when one of the controls is not there. */
  async #go(way: Way, start: number): Promise<boolean> {
    for (const key of way.keys.slice(start)) {
      const control = this.#find(key);
      if (control === undefined) return false;
      const didSomething = await this.#click(control);
      if (key === way.keys.at(-1)) this.#judge(way, control, didSomething);
      else this.#opened = { way: `${way.address} ${key}`, controls: this.#shown };
    }
    return true;
  }

  /** Which click of the way is the next one where earlier clicks left the page; undefined where it has to be opened first. */
  async #startOf({ address, keys }: Way): Promise<number | undefined> {
    const [first, second] = keys;
    if (first === undefined) return undefined;
    // Where the click before did not change what there is to click, what opened it needs no second click.
    const isOpen = this.#opened?.way === `${address} ${first}` && this.#opened.controls === this.#shown;
    if (isOpen && second !== undefined && this.#find(second) !== undefined) return 1;
    this.#opened = undefined;
    await this.#closeOverlays();
    if (!this.#view.isPlain) return undefined;
    if (!FRAME.test(first) && this.#tab.address !== address) await this.#follow(address);
    return this.#find(first) === undefined ? undefined : 0;
  }

  #find(key: string): Control | undefined {
    return this.#view.controls.find((control) => control.key === key);
  }

  /** What there is to click, as one text. */
  get #shown(): string {
    return this.#view.controls.map(({ key, isOn }) => `${key} ${isOn}`).join('\n');
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
  #note(way: Way): void {
    for (const control of this.#view.controls) {
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
    const before = await approach(page, control);
    const outside = (): string => [traffic.count, this.#windows].join();
    const outsideBefore = outside();
    await press(page, control);
    const hasChanged = async (limitMs: number): Promise<boolean> =>
      (await changes(page, before, limitMs).catch(isLeft)) || outside() !== outsideBefore;
    const mayDoNothing = control.isChosen || FRAME.test(control.key);
    const didSomething = (await hasChanged(CHANGE_MS)) || (!mayDoNothing && (await hasChanged(LATE_MS)));
    await this.#settle();
    return didSomething || outside() !== outsideBefore;
  }

  /** Waits until the page is at rest, and looks at it. */
  async #settle(): Promise<void> {
    await this.#tab.settled();
    this.#view = await viewOf(this.#tab.page);
  }

  async #closeOverlays(): Promise<void> {
    for (let tries = 0; tries < MOST_CLICKS && this.#view.hasOverlay; tries += 1) {
      await this.#tab.page.keyboard.press('Escape');
      await this.#settle();
    }
  }

  /** A page as fresh as a reload makes it, without one where that will do. */
  async #arrive(address: string): Promise<void> {
    await this.#closeOverlays();
    // A screen that is left for one of another kind begins from the start when it comes again.
    const isOfKind = screenOf(this.#tab.address) === screenOf(address);
    if (this.#view.isPlain) await this.#follow(...(isOfKind ? ['/no/such/screen', address] : [address]));
    else {
      await this.#tab.open(address);
      this.#view = await viewOf(this.#tab.page);
    }
  }

  async #follow(...addresses: readonly string[]): Promise<void> {
    await this.#tab.follow(...addresses);
    this.#view = await viewOf(this.#tab.page);
  }

  #fault({ address }: Way, text: string): void {
    this.#faults.push(`${address} ${text}`);
  }
}

const pathOf = (address: string): string => address.replace(/\?.*$/, '');

/** The same for all addresses of one screen: names and ids of things left out, each of which follows the word for its kind. */
const screenOf = (address: string): string =>
  pathOf(address).replace(/\/(ns|agents|sessions|workflows|runs|resources)\/[^/]+/g, '/$1/*');

/** True for what a page says that was left while it was asked something. */
const isLeft = (error: unknown): boolean => {
  if (error instanceof Error && /context was destroyed|navigation/i.test(error.message)) return true;
  throw error;
};
