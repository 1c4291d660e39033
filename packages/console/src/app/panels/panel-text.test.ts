import { expect, it } from 'vitest';
import { panelsOf, panelText } from './panel-text.ts';

it('writes open panels as text and reads them back, whatever their keys contain', () => {
  const panels = [
    { type: 'resource', key: 'Agent/default/a|b c%/' },
    { type: 'step', key: '' },
  ];
  expect(panelsOf(panelText(panels))).toEqual(panels);
  expect(panelText([])).toBeUndefined();
});

it('reads nothing from an address without panels, or with text that is none', () => {
  expect(panelsOf(undefined)).toEqual([]);
  expect(panelsOf('nonsense|')).toEqual([]);
});
