const KEY = 'svc.theme';
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const readTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

/** Shows the page in the chosen theme; `system` follows the computer. */
export const applyTheme = (theme: Theme = readTheme()): void => {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

/** The theme after the present one; answers it. */
export const nextTheme = (): Theme => {
  const next = THEMES[(THEMES.indexOf(readTheme()) + 1) % THEMES.length] ?? 'system';
  applyTheme(next);
  return next;
};
