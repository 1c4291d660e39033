import { expect, it } from 'vitest';
import { screens } from './screens.ts';

const sections = screens.flatMap((screen) => screen.sections);

it('gives each section an address, a name and a letter of its own', () => {
  for (const values of [
    sections.map(({ path }) => path),
    sections.map(({ label }) => label),
    sections.flatMap(({ letter = [] }) => letter),
  ])
    expect([...new Set(values)]).toEqual(values);
  expect(sections.length).toBeGreaterThan(20);
});
