import type { CombinationFault } from './combination-rules.ts';
import type { SettingKey, Settings } from './keys/index.ts';

const ROLES = 3;
/** Keys that no code reads yet, and what happens instead; keys/pending-keys.ts lists them for the documentation. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  'bus.url':
    'has no effect yet: no events travel between nodes; each looks into the database for work and changes about once a second, and the text of a running turn streams only from the node that runs it',
};
/** Keys that only have a meaning with PostgreSQL. */
const POSTGRES_KEYS: readonly SettingKey[] = ['store.poolSize', 'store.busyTimeout'];

/**
 * Settings that were written and have no effect, and what happens instead: accepted silently, people would think that they
 * work. `isWritten`: true for a key that is not at its default.
 */
export const findIdleSettings = (
  settings: Settings,
  isWritten: (key: string) => boolean,
): readonly CombinationFault[] =>
  [...pending(), ...roles(settings), ...embedded(settings), ...signIn(settings)]
    .filter(([key]) => isWritten(key))
    .map(([key, text]) => ({ severity: 'warning', key, text }));

type KeyedText = readonly [key: SettingKey, text: string];

const pending = (): readonly KeyedText[] =>
  Object.entries(CONSEQUENCES).map(([key, text]): KeyedText => [key as SettingKey, text]);

const roles = (settings: Settings): readonly KeyedText[] =>
  new Set(settings['server.roles']).size === ROLES
    ? []
    : [
        [
          'server.roles',
          'has no effect yet: this process serves calls, runs controllers and executes turns, as every node does',
        ],
      ];

const embedded = (settings: Settings): readonly KeyedText[] =>
  settings['store.url'].startsWith('sqlite:')
    ? POSTGRES_KEYS.map((key): KeyedText => [key, 'has no effect: only PostgreSQL has a use for it'])
    : [];

/** Keys that are refused where they protect nothing. */
const REFUSED: readonly SettingKey[] = ['auth.jwt.secret', 'auth.jwks.url'];

const signIn = (settings: Settings): readonly KeyedText[] => {
  const unused = (['jwt', 'jwks'] as const).filter((mode) => !settings['auth.mode'].includes(mode));
  const keys = Object.keys(settings) as SettingKey[];
  return unused.flatMap((mode) =>
    keys
      .filter((key) => key.startsWith(`auth.${mode}.`) && !REFUSED.includes(key))
      .map((key): KeyedText => [key, `has no effect while auth.mode lacks ${mode}`]),
  );
};
