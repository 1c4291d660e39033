import { expect, it } from 'vitest';
import { addressOfThing } from './thing-address.ts';

const patterns = ['/', '/ns/$ns/agents/$agent', '/ns/$ns/channels/$name/members/$member'];

it('leads to the page of a kind that has one', () => {
  const agent = { kind: 'Agent', plural: 'agents', ns: 'acme:web', name: 'clerk' };
  expect(addressOfThing(agent, patterns)).toBe('/ns/acme%3Aweb/agents/clerk');
});

it('leads to the panel of a kind without a page of its own', () => {
  const channel = { kind: 'Channel', plural: 'channels', ns: 'acme', name: 'room' };
  expect(addressOfThing(channel, patterns)).toBe(
    '/ns/acme/resources/Channel?panel=resource+Channel%252Facme%252Froom%252F',
  );
});
