import { panelText } from '../panels/panel-text.ts';

/** A resource as far as its address needs it. */
interface Thing {
  readonly kind: string;
  /** Words of the kind in addresses, such as `agents`. */
  readonly plural: string;
  readonly ns: string;
  readonly name: string;
}

/** The page of a resource where its kind has one among the patterns, such as `/ns/$ns/agents/$name`; else its panel in the list. */
export const addressOfThing = ({ kind, plural, ns, name }: Thing, patterns: readonly string[]): string => {
  const place = `/ns/${encodeURIComponent(ns)}`;
  const start = `/ns/$ns/${plural}/$`;
  if (patterns.some((pattern) => pattern.startsWith(start) && !pattern.slice(start.length).includes('/')))
    return `${place}/${plural}/${encodeURIComponent(name)}`;
  const panel = panelText([{ type: 'resource', key: `${kind}/${ns}/${name}/` }]) ?? '';
  return `${place}/resources/${kind}?${new URLSearchParams({ panel }).toString()}`;
};
