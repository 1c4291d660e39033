import type { ReactElement } from 'react';

/** Strokes in a square of 24 by 24. */
const PATHS = {
  home: 'M4 11.5 12 4l8 7.5M6.5 10v10h11V10',
  inbox: 'M4 13.5 6.5 5h11L20 13.5V19H4zM4 13.5h5l1.5 2.5h3l1.5-2.5h5',
  chat: 'M5 5h14v11H10l-5 4z',
  agent: 'M7 9h10v9H7zM12 9V5M9.5 13.2v.1M14.5 13.2v.1M4 13h3M17 13h3',
  flow: 'M4 5h6v5H4zM14 14h6v5h-6zM10 7.5h4a3 3 0 0 1 3 3V14',
  channel: 'M9 4 7 20M17 4l-2 16M4.5 9h15M4 15h15',
  plug: 'M9 4v5M15 4v5M6.5 9h11v3a5.5 5.5 0 0 1-11 0zM12 17.5V21',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4.5l3 2',
  task: 'M5 5h14v14H5zM8.5 12l2.5 2.5 4.5-5',
  book: 'M5 5.5A2 2 0 0 1 7 4h12v15H7a2 2 0 0 0-2 1.5zM5 5.5V20',
  spark: 'M12 4l1.8 5.200L19 11l-5.2 1.8L12 18l-1.8-5.200L5 11l5.2-1.8z',
  file: 'M7 4h7l4 4v12H7zM14 4v4h4',
  key: 'M14.5 9.5a3.5 3.5 0 1 0-3.300 3.5L13 15h2v2h2v2h3v-3l-5.7-5.7',
  tools: 'M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z',
  layers: 'M12 4 4 8.5l8 4.5 8-4.5zM4 13l8 4.5 8-4.5',
  box: 'M12 4 5 8v8l7 4 7-4V8zM5 8l7 4 7-4M12 12v8',
  server: 'M5 5h14v6H5zM5 13h14v6H5zM8 8v.1M8 16v.1',
  chart: 'M5 19V5M5 19h14M9 16v-4M13 16V8M17 16v-6',
  shield: 'M12 4l7 2.5v5c0 4-3 7-7 8.5-4-1.5-7-4.5-7-8.5v-5z',
  list: 'M9 6h11M9 12h11M9 18h11M5 6v.1M5 12v.1M5 18v.1',
  log: 'M5 5h14v14H5zM8 9l2.5 2.5L8 14M12.5 15H16',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 4v2.5M12 17.5V20M4 12h2.5M17.5 12H20M6.300 6.300l1.8 1.8M15.900 15.900l1.8 1.8M6.300 17.700l1.8-1.8M15.900 8.100l1.8-1.8',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15.5 15.5 20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5l4.5 4.5L19 7',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  down: 'M6 9.5l6 6 6-6',
  right: 'M9.5 6l6 6-6 6',
  left: 'M14.5 6l-6 6 6 6',
  up: 'M6 14.5l6-6 6 6',
  more: 'M6 12v.1M12 12v.1M18 12v.1',
  menu: 'M4 7h16M4 12h16M4 17h16',
  stop: 'M7 7h10v10H7z',
  send: 'M4 12 20 5l-5 15-3.5-6.5z',
  play: 'M8 5.5v13l10.5-6.5z',
  pause: 'M8 5v14M16 5v14',
  retry: 'M19 12a7 7 0 1 1-2-5M19 4v4h-4',
  trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  eye: 'M3.5 12C6 7.5 9 6 12 6s6 1.5 8.5 6c-2.5 4.5-5.5 6-8.5 6s-6-1.5-8.5-6M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
  upload: 'M12 16V5M7.5 9.5 12 5l4.5 4.5M5 19h14',
  download: 'M12 5v11M7.5 11.5 12 16l4.5-4.5M5 19h14',
  fork: 'M7 5v14M7 12h6a4 4 0 0 0 4-4V5',
  trail: 'M12 4v4M12 16v4M9 8h6v8H9zM12 12v.1',
  warning: 'M12 5 3.5 19h17zM12 10v4M12 16.5v.1',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 11v5M12 8v.1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.400 1.400M17 17l1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400',
  external: 'M13 5h6v6M19 5l-8 8M10 6H5v13h13v-5',
  filter: 'M4 6h16l-6 7v6l-4-2v-4z',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing next to a text that says the same: screen readers pass over it. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactElement => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
