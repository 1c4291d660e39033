import type { Section } from '../screen.ts';

/** Where a section is for the chosen namespace. */
export const sectionAddress = ({ path, isScoped }: Section, scope: string): string =>
  isScoped ? `/ns/${encodeURIComponent(scope)}${path}` : path;

/** The section that an address of the page belongs to: the one with the longest address that the page's begins with. */
export const openSection = (sections: readonly Section[], pathname: string): Section | undefined => {
  const parts = partsOf(pathname);
  const lengths = sections.map((section) => [section, matchLength(section, parts)] as const);
  const longest = Math.max(...lengths.map(([, length]) => length));
  return longest < 0 ? undefined : lengths.find(([, length]) => length === longest)?.[0];
};

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

/** How many parts of the page's address the section names; -1 where it is another one's. */
const matchLength = ({ path, also = [], isScoped }: Section, parts: readonly string[]): number => {
  const lengths = [path, ...also].map((pattern) => {
    const wanted = partsOf(isScoped ? `/ns/$ns${pattern}` : pattern);
    const isStart = wanted.every(
      (part, index) => parts[index] === part || (part.startsWith('$') && index < parts.length),
    );
    // The start page has no part at all and would be the beginning of everything.
    return isStart && (wanted.length > 0 || parts.length === 0) ? wanted.length : -1;
  });
  return Math.max(...lengths);
};
