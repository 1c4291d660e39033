import type { Section } from '../screen.ts';

/** Where a section is for the chosen namespace. */
export const sectionAddress = ({ path, isScoped }: Section, scope: string): string =>
  isScoped ? `/ns/${encodeURIComponent(scope)}${path}` : path;
