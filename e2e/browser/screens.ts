import type { Seeded } from './seed/index.ts';

/** A screen as the suite visits it. */
interface Screen {
  /** Names its pictures in docs/screenshots. */
  readonly name: string;
  /** Where it is, in the seeded shop. */
  readonly address: (seeded: Seeded) => string;
  /** A text that is on it once it shows what it is for. */
  readonly shows: string | RegExp;
}

const at = (name: string, address: string | ((seeded: Seeded) => string), shows: string | RegExp): Screen => ({
  name,
  address: typeof address === 'string' ? () => address : address,
  shows,
});

/** Every screen of the console. A new one gets its line here: the suite then visits, judges, photographs and clicks through it. */
export const screens: readonly Screen[] = [
  at('home', '/', 'Home'),
  at('resources', '/ns/shop/resources/Agent', 'support'),
  at('resource', `/ns/shop/resources/Agent?panel=${encodeURIComponent('resource Agent/shop/support')}`, 'support'),
  at('not-found', '/no/such/screen', /not/i),
];
