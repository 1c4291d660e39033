import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ClaimsView } from './claims-view.tsx';
import { texts } from './texts.ts';

it('says that a worker holds nothing', () => {
  expect(renderToStaticMarkup(<ClaimsView claims={[]} />)).toBe(`<p>${texts.holdsNothing}</p>`);
});
