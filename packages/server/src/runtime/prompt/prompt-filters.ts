/** The six filters of the prompt language (RT-3); `default` alone takes an argument. */
export const FILTERS: ReadonlyMap<string, (value: string, argument: string) => string> = new Map([
  ['default', (value: string, argument: string) => (value === '' ? argument : value)],
  ['upper', (value) => value.toUpperCase()],
  ['lower', (value) => value.toLowerCase()],
  ['trim', (value) => value.trim()],
  ['json', (value) => JSON.stringify(value)],
  ['slug', (value) => slugOf(value)],
]);

/** Lower-case letters and digits joined by single hyphens; accents are dropped. */
const slugOf = (value: string): string =>
  value
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
