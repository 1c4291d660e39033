const START = 'secret://';

/** True for a text that shall be replaced by what a Secret holds, whether or not it is well formed. */
export const isSecretReference = (text: string): boolean => text.startsWith(START);

/** Name and key of `secret://name/key` or `name/key`; undefined when malformed. */
export const parseSecretReference = (
  reference: string,
): { readonly name: string; readonly key: string } | undefined => {
  const place = isSecretReference(reference) ? reference.slice(START.length) : reference;
  const [name = '', key = '', ...rest] = place.split('/');
  return name === '' || key === '' || rest.length > 0 ? undefined : { name, key };
};
