/** Pure arithmetic on namespace names; parents given at creation (`spec.parent`) live in the records. */

/** A namespace has at most this many ancestors. */
export const ANCESTORS_MAX = 32;

/** The two namespaces that always exist and cannot be deleted. */
export const SYSTEM_NAMESPACE = 'system';
/** The namespace of callers that name none. */
export const DEFAULT_NAMESPACE = 'default';

/** Text before the last `:`, '' for a name without one. */
export const pathParent = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf(':')));

/** The name's first segment, which alone may have a parent by `spec.parent`. */
export const pathRoot = (name: string): string => {
  const end = name.indexOf(':');
  return end < 0 ? name : name.slice(0, end);
};

/** Last segment of a name. */
export const leafName = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

/** Ancestors by the text of the name alone, nearest first. */
export const pathAncestors = (name: string): string[] => {
  const found: string[] = [];
  for (let parent = pathParent(name); parent !== ''; parent = pathParent(parent)) found.push(parent);
  return found;
};
