import { expect, it } from 'vitest';
import { missingNames } from './missing-names.ts';

it('takes the names out of the messages of what is not fulfilled', () => {
  const found = missingNames([
    { type: 'ReferencesResolved', status: 'False', message: 'MCP server nowhere not found' },
    { type: 'CapabilitiesKnown', status: 'False', message: 'unknown capability "moon"' },
    { type: 'FeaturesAvailable', status: 'True', message: 'goals' },
    { type: 'Ready', status: 'False', message: 'other' },
  ]);
  expect(found.has('nowhere')).toBe(true);
  expect(found.has('moon')).toBe(true);
  expect(found.has('goals')).toBe(false);
  expect(found.has('other')).toBe(false);
});
