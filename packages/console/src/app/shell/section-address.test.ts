import { expect, it } from 'vitest';
import { screens } from '../screens.ts';
import { openSection } from './section-address.ts';

const sections = screens.flatMap((screen) => screen.sections);

it.each([
  ['/', 'Home'],
  ['/ns/default/agents', 'Agents'],
  ['/ns/default/agents/helper', 'Agents'],
  ['/ns/default/agents/helper/sessions/s1', 'Sessions'],
  ['/ns/default/sessions', 'Sessions'],
  ['/ns/a%2Fb/agents/c%20d/sessions/s1', 'Sessions'],
  ['/ns/sessions/agents/sessions', 'Agents'],
  ['/ns/default/audit', 'Audit'],
  ['/ns/default/agentsandmore', undefined],
  ['/nowhere', undefined],
])('is at %s the section %s', (pathname, label) => {
  expect(openSection(sections, pathname)?.label).toBe(label);
});
