import { type KindFacts, kindFacts } from '@svc/api/kinds';

/** What a kind is called. */
export interface KindNames {
  readonly name: string;
  readonly plural: string;
  readonly short?: string;
  /** Namespace that all of them live in, whatever namespace is set. */
  readonly home?: string;
}

/** Kinds that are shown by calls of their own. */
const OWN_CALLS: readonly string[] = ['Namespace', 'Agent', 'Session'];

const namesOf = ({ kind: name, plural, short, home }: KindFacts): KindNames => ({
  name,
  plural,
  ...(short === undefined ? {} : { short }),
  ...(home === undefined ? {} : { home }),
});

const hasOwnCalls = ({ kind }: KindFacts): boolean => OWN_CALLS.includes(kind);

/** Kinds that the ResourceService shows. */
export const RESOURCE_KINDS: readonly KindNames[] = kindFacts.filter((facts) => !hasOwnCalls(facts)).map(namesOf);

/** Every kind that has a name of its own. */
export const KIND_NAMES: readonly KindNames[] = [...kindFacts.filter(hasOwnCalls).map(namesOf), ...RESOURCE_KINDS];

/** The words for kinds, for help texts: `namespaces (ns), agents, ...`. */
export const kindList = (): string =>
  KIND_NAMES.map(({ plural, short }) => (short === undefined ? plural : `${plural} (${short})`)).join(', ');
