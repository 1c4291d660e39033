import { type ElementNode, h } from '../dom/index.ts';

/** Outlines of 24 by 24. */
const PATHS = {
  chat: 'M21 12a8 8 0 0 1-8 8H4l1.8-3A8 8 0 1 1 21 12Z',
  close: 'M6 6l12 12M18 6 6 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8Z',
  attach: 'M20 11.5 12.2 19a5 5 0 0 1-7-7.1L13 4.3a3.3 3.3 0 0 1 4.7 4.7L10 16.6a1.7 1.7 0 0 1-2.4-2.4l6.9-6.7',
  file: 'M13 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9ZM13 3v6h6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7 7 17',
  down: 'M12 5v14M6 13l6 6 6-6',
  alert: 'M12 8v5M12 16.5v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM5 20a7 7 0 0 1 14 0',
  spinner: 'M12 4a8 8 0 1 1-8 8',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing that says nothing which is not said in words next to it. */
export const icon = (name: IconName): ElementNode =>
  h('svg', { class: `icon icon-${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, [
    h('path', { d: PATHS[name] }),
  ]);
