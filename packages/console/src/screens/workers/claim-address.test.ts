import { expect, it } from 'vitest';
import { claimAddress } from './claim-address.ts';

const claim = { ns: 'acme:web', name: 'n', agent: 'clerk', sessionId: 's1' };

it.each([
  ['turn', '/ns/acme%3Aweb/agents/clerk/sessions/s1?view=timeline&turn=x'],
  ['run', '/ns/acme%3Aweb/workflows/n/runs/x'],
  ['schedule', '/ns/acme%3Aweb/schedules/n'],
  ['delivery', '/ns/acme%3Aweb/deliveries'],
  ['sandbox', '/ns/acme%3Aweb/resources/Sandbox/n'],
])('leads from a %s to its screen', (kind, address) => {
  expect(claimAddress({ ...claim, kind, id: 'x' })).toBe(address);
});
