/** So many places of the focus are remembered, for when the newest of them are gone. */
const REMEMBERED = 12;

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable=true]';

/**
 * Gives the focus a place when the element that had it is gone, such as the button of a request that was answered: else the browser
 * forgets where a person with a keyboard was. It is what surrounded the element, or the place before it, or the screen. Answers how to
 * stop.
 */
export const keepFocus = (page: Document): (() => void) => {
  /** Elements with what surrounds each, from the inside out; the newest last. */
  let places: readonly (readonly Element[])[] = [];
  let isWaiting = false;

  const remember = ({ target }: { readonly target: EventTarget | null }): void => {
    if (!(target instanceof Element) || target === page.body) return;
    places = [...places.filter(([element]) => element !== target), enclosing(target)].slice(-REMEMBERED);
  };

  /** A person who clicks on nothing in particular wants no focus. */
  const forget = ({ target }: PointerEvent): void => {
    if (target instanceof Element && target.closest(FOCUSABLE) === null) places = [];
  };

  const restore = (): void => {
    isWaiting = false;
    const [element] = places.at(-1) ?? [];
    if (element === undefined || !isLost(page) || canHaveFocus(element)) return;
    const place = placeInstead(page, places);
    if (place === undefined) return;
    if (!place.matches(FOCUSABLE)) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  };

  // Dialogs give the focus back themselves: they come first.
  const look = (): void => {
    if (isWaiting || places.length === 0 || !isLost(page)) return;
    isWaiting = true;
    requestAnimationFrame(() => requestAnimationFrame(restore));
  };

  // What took the focus while the page was drawn first.
  remember({ target: page.activeElement });
  const changes = new MutationObserver(look);
  changes.observe(page, { childList: true, subtree: true, attributeFilter: ['inert', 'hidden', 'disabled'] });
  page.addEventListener('focusin', remember);
  page.addEventListener('pointerdown', forget);
  return () => {
    changes.disconnect();
    page.removeEventListener('focusin', remember);
    page.removeEventListener('pointerdown', forget);
  };
};

const isLost = ({ activeElement, body }: Document): boolean => activeElement === null || activeElement === body;

const enclosing = (element: Element): readonly Element[] => {
  const { parentElement } = element;
  return parentElement === null ? [element] : [element, ...enclosing(parentElement)];
};

const canHaveFocus = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement &&
  element.isConnected &&
  element.checkVisibility({ visibilityProperty: true }) &&
  element.closest('[inert]') === null;

const placeInstead = (page: Document, places: readonly (readonly Element[])[]): HTMLElement | undefined => {
  const screen = page.querySelector('main') ?? undefined;
  const around = places.at(-1)?.find(canHaveFocus);
  if (around !== undefined && screen?.contains(around) === true) return around;
  const before = places.toReversed().flatMap(([element]) => element ?? []);
  return before.find(canHaveFocus) ?? screen;
};
