import type { Page } from 'playwright-core';

/** Something on a page that can be clicked. */
export interface Control {
  /** The same for the same control after a reload; equal for controls of one kind in the rows of a list. */
  readonly key: string;
  readonly role: string;
  /** As a person would name it. */
  readonly title: string;
  /** Neither off nor in a place that cannot be used. */
  readonly isOn: boolean;
  /** Says that it is chosen already, such as the link to the page itself: then it may do nothing. */
  readonly isChosen: boolean;
  /** Off, and its reason can be read. */
  readonly saysWhy: boolean;
  readonly index: number;
}

/** What can be clicked on a page, and where. */
export interface View {
  /** All controls that are shown, in the order of the page. */
  readonly controls: readonly Control[];
  /** The frame is there, and nothing lies over it. */
  readonly isPlain: boolean;
  /** A dialog or a menu is open. */
  readonly hasOverlay: boolean;
}

interface CrawledWindow {
  controls?: readonly HTMLElement[];
  /** What a click may change, as one text; there once changes are counted. */
  seen?: () => string;
  /** Called at each change. */
  onChange?: () => void;
}

export const viewOf = (page: Page): Promise<View> => page.evaluate(look);

/**
 * Prepares a click: gives the control the focus where it can have it, and counts changes of the page from then on. Answers the state of
 * the page before the click. Only for controls of the last view.
 */
export const approach = (page: Page, { index }: Control): Promise<string> => page.evaluate(focusAndCount, index);

/** Clicks a control that was approached, by keyboard where it can have the focus. */
export const press = async (page: Page, { role, index }: Control): Promise<void> => {
  if (role === 'option') await page.evaluate((at) => (globalThis as CrawledWindow).controls?.[at]?.click(), index);
  else if (role === 'select') await page.evaluate(chooseAnother, index);
  else await page.keyboard.press(['input', 'checkbox', 'radio', 'switch'].includes(role) ? 'Space' : 'Enter');
};

/** True once the page is another one than `before` says; false when it is the same for so many milliseconds. */
export const changes = (page: Page, before: string, withinMs: number): Promise<boolean> =>
  page.evaluate(waitForChange, [before, withinMs] as const);

/** Runs in the page: what a person does to a list of choices, whose popup is not part of the page. */
const chooseAnother = (index: number): void => {
  const select = (globalThis as CrawledWindow).controls?.[index];
  if (!(select instanceof HTMLSelectElement)) return;
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  select.dispatchEvent(new Event('change', { bubbles: true }));
};

/** Runs in the page. The state is the address, the focus, what is chosen, and how often the page changed since the count began. */
const focusAndCount = async (index: number): Promise<string> => {
  const crawled = globalThis as CrawledWindow;
  const control = crawled.controls?.[index];
  if (!control?.matches('[role=option], select')) control?.focus();
  // What the focus brought about, such as a tooltip, is not counted.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  if (crawled.seen === undefined) {
    let count = 0;
    const note = (records = 0): void => {
      count += records;
      crawled.onChange?.();
    };
    const observer = new MutationObserver((records) => note(records.length));
    observer.observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
    for (const event of ['focusin', 'focusout', 'input', 'change', 'popstate', 'hashchange'])
      addEventListener(event, () => note());
    crawled.seen = () => {
      const focused = (crawled.controls ?? []).indexOf(document.activeElement as HTMLElement);
      const fields = document.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input');
      const chosen = [...fields].map((field) => ('checked' in field ? `${field.checked} ${field.value}` : field.value));
      return `${location.href} ${focused} ${count} ${chosen.join()}`;
    };
  }
  return crawled.seen();
};

/** Runs in the page. */
const waitForChange = ([before, withinMs]: readonly [string, number]): Promise<boolean> =>
  new Promise((resolve) => {
    const crawled = globalThis as CrawledWindow;
    // A document without the count is another one than before the click.
    const hasChanged = (): boolean => crawled.seen?.() !== before;
    const end = (): void => {
      delete crawled.onChange;
      clearTimeout(timer);
      resolve(hasChanged());
    };
    const timer = setTimeout(end, withinMs);
    crawled.onChange = () => {
      if (hasChanged()) end();
    };
    crawled.onChange();
  });

/** Runs in the page. */
const look = (): View => {
  const selector =
    'button, a[href], summary, select, input[type=checkbox], input[type=radio], [role=button], [role=menuitem], [role=tab], [role=switch], [role=option], [role=treeitem]';
  const overlays = 'dialog[open], [role=dialog], [role=menu], [role=alertdialog]';
  const places = 'dialog, [role=dialog], [role=alertdialog], [role=menu], nav, footer, aside, main, header';
  const rows = 'tr, li, [role=row], [role=listitem], [role=treeitem]';
  // Of a list of choices, these are tried.
  const mostOptions = 3;
  const options = new Map<string, number>();
  const roleOf = (element: Element): string =>
    element.role ?? (element.tagName === 'A' ? 'link' : element.tagName.toLowerCase());
  const nameOf = (element: HTMLElement): string =>
    (element.ariaLabel ?? element.textContent).replace(/\s+/g, ' ').trim().slice(0, 60);
  const placeOf = (element: Element): string => roleOf(element.closest(places) ?? document.body);
  // Ids, numbers and times differ between runs; in rows it is the place in the row that makes the control.
  const kindOf = (element: HTMLElement): string => {
    const row = element.parentElement?.closest(rows) ?? null;
    if (row !== null && row.closest('nav') === null)
      return `in row: ${[...row.querySelectorAll(selector)].indexOf(element)} ${element.className}`;
    if (roleOf(element) !== 'option') return nameOf(element).replace(/[\da-f]{8}-[\da-f-]+|\d+/g, '#');
    const rank = Math.min((options.get(element.className) ?? 0) + 1, mostOptions);
    options.set(element.className, rank);
    return `option ${rank} ${element.className}`;
  };
  const isShown = (element: HTMLElement): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert], [aria-hidden=true]') === null;
  const elements = [...document.querySelectorAll<HTMLElement>(selector)].filter(isShown);
  (globalThis as CrawledWindow).controls = elements;
  const hasOverlay = document.querySelector(overlays) !== null;
  const controls = elements.map((element, index) => {
    const role = roleOf(element);
    const hasOneChoice = element instanceof HTMLSelectElement && element.options.length < 2;
    // A form that is only shown is off as a whole, and says so once.
    const isField = element.matches('input, select');
    const isOff = element.ariaDisabled === 'true' || element.matches(':disabled');
    return {
      key: `${placeOf(element)} ${role} ${kindOf(element)}`,
      role,
      title: `${role} "${nameOf(element)}"`,
      isOn: !isOff,
      isChosen:
        [element.ariaPressed, element.ariaChecked, element.ariaSelected, element.ariaCurrent].some(
          (state) => state !== null && state !== 'false',
        ) || hasOneChoice,
      saysWhy: isOff && (isField || element.title !== '' || element.getAttribute('aria-describedby') !== null),
      index,
    };
  });
  return { controls, hasOverlay, isPlain: document.querySelector('nav') !== null && !hasOverlay };
};
