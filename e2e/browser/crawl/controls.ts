import type { ElementHandle, Page } from 'playwright-core';

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

interface CrawledWindow {
  controls?: readonly HTMLElement[];
  changes?: number;
}

/** All controls that are shown, in the order of the page. */
export const controlsOf = (page: Page): Promise<readonly Control[]> => page.evaluate(findControls);

/** The element of a control; only until `controlsOf` is called again. */
const elementOf = async (page: Page, { index }: Control): Promise<ElementHandle<HTMLElement>> => {
  const handle = await page.evaluateHandle(
    (at) => (globalThis as CrawledWindow).controls?.[at] ?? document.body,
    index,
  );
  return handle.asElement();
};

/** Prepares a click; answers what does it, by keyboard where the control can have the focus. */
export const approach = async (page: Page, control: Control): Promise<() => Promise<unknown>> => {
  const element = await elementOf(page, control);
  const { role } = control;
  if (role === 'option') return () => element.evaluate((option) => option.click());
  if (role === 'select') return () => element.evaluate(chooseAnother);
  await element.focus();
  const key = ['input', 'checkbox', 'radio', 'switch'].includes(role) ? 'Space' : 'Enter';
  return () => page.keyboard.press(key);
};

/** Runs in the page: what a person does to a list of choices, whose popup is not part of the page. */
const chooseAnother = (select: HTMLElement): void => {
  if (!(select instanceof HTMLSelectElement)) return;
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  select.dispatchEvent(new Event('change', { bubbles: true }));
};

/** From now on changes of the page are counted. */
export const beginCounting = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const counted = globalThis as CrawledWindow;
    // What the focus brought about, such as a tooltip, is not counted.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    if (counted.changes === undefined)
      new MutationObserver((records) => {
        counted.changes = (counted.changes ?? 0) + records.length;
      }).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
    counted.changes = 0;
  });

/** What a click may change, as one text: the address, the focus, what is chosen, and how often the page changed since the count began. */
export const stateOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const counted = globalThis as CrawledWindow;
    const focused = (counted.controls ?? []).indexOf(document.activeElement as HTMLElement);
    const chosen = [...document.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input')].map((field) =>
      'checked' in field ? `${field.checked} ${field.value}` : field.value,
    );
    return `${location.href} ${focused} ${counted.changes} ${chosen.join()}`;
  });

/** Runs in the page. */
const findControls = (): Control[] => {
  const selector =
    'button, a[href], summary, select, input[type=checkbox], input[type=radio], [role=button], [role=menuitem], [role=tab], [role=switch], [role=option], [role=treeitem]';
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
  return elements.map((element, index) => {
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
};
