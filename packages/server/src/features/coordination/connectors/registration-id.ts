/** A class by its names. */
export interface ClassNames {
  readonly namespace: string;
  readonly name: string;
}

/** The id under which a class is registered. */
export const registrationIdOf = ({ namespace, name }: ClassNames): string =>
  `Namespace/${encodeURIComponent(namespace)}/ConnectorClass/${encodeURIComponent(name)}`;

/** The class of a registration id; undefined for a text that is none. Takes a colon that is not encoded. */
export const parseRegistrationId = (id: string): ClassNames | undefined => {
  const [kind, namespace = '', literal, name = '', ...more] = id.split('/');
  if (kind !== 'Namespace' || literal !== 'ConnectorClass' || more.length > 0) return undefined;
  const names = { namespace: decoded(namespace), name: decoded(name) };
  return names.namespace === '' || names.name === '' ? undefined : names;
};

/** '' for what is not percent-encoded text. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};
