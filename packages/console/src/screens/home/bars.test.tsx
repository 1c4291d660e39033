import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Bars } from './bars.tsx';

it('draws each value by its share of the highest, and a line where there is none', () => {
  const shown = renderToStaticMarkup(<Bars label="Runs: 3" values={[0, 1, 2]} />);
  expect(shown).toContain('role="img"');
  expect(shown).toContain('aria-label="Runs: 3"');
  expect([...shown.matchAll(/height="(\d+)"/g)].map(([, height]) => height)).toEqual(['1', '18', '36']);
});
