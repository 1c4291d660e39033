import type { ConfigurationValue } from '@svc/api/gateway';

/** The values that contain a text in their key, value or source, and with `onlySet` only those that differ from the default. */
export const matching = (
  values: readonly ConfigurationValue[],
  text: string,
  onlySet: boolean,
): readonly ConfigurationValue[] => {
  const wanted = text.trim().toLowerCase();
  return values.filter(
    ({ key, valueJson, source }) =>
      !(onlySet && source === 'default') &&
      [key, valueJson, source].some((part) => part.toLowerCase().includes(wanted)),
  );
};
