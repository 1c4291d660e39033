import { environmentName, isReserved, keyRows, strictSections } from './keys/index.ts';
import type { Located, LocatedMap, Origin, Report } from './located.ts';
import { nearest } from './nearest.ts';

const sections: ReadonlySet<string> = new Set(
  [...keyRows.keys()].flatMap((key) => {
    const words = key.split('.');
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join('.'));
  }),
);

/** Values of a file by key; unknown keys are reported with the closest known one. */
export const matchFileKeys = (root: LocatedMap, report: Report): ReadonlyMap<string, Located> => {
  const found = new Map<string, Located>();
  const walk = (map: LocatedMap, prefix: string): void => {
    for (const [name, entry] of map.entries) {
      const key = `${prefix}${name}`;
      const isNull = entry.value.kind === 'scalar' && entry.value.value === null;
      if (keyRows.has(key)) {
        if (!isNull) found.set(key, entry.value);
      } else if (!sections.has(key)) reportUnknown(key, entry.keyOrigin.label, report);
      else if (entry.value.kind === 'map') walk(entry.value, `${key}.`);
      else if (!isNull)
        report({ severity: 'error', label: entry.value.origin.label, key, text: 'must be a map of keys' });
    }
  };
  walk(root, '');
  return found;
};

const reportUnknown = (key: string, label: string, report: Report): void => {
  const near = nearest(key, [...keyRows.keys(), ...sections]);
  const text = near === undefined ? 'unknown key' : `unknown key, did you mean ${near}`;
  const [section = ''] = key.split('.');
  report({ severity: strictSections.includes(section) ? 'error' : 'warning', label, key, text });
};

/** Values of `SVC_…` variables by key; empty ones count as unset. */
export const matchVariables = (
  environment: Readonly<Record<string, string | undefined>>,
  context: { readonly cwd: string; readonly report: Report },
): ReadonlyMap<string, Located> => {
  const found = new Map<string, Located>();
  const names = new Map([...keyRows.keys()].map((key) => [environmentName(key), key]));
  for (const [key, row] of keyRows) {
    const name = environmentName(key);
    const text = environment[name];
    const origin: Origin = { source: 'environment', label: name, directory: context.cwd };
    if (text !== undefined && text !== '') found.set(key, row.kind.fromText(text, origin));
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith('SVC_') && !names.has(name) && !isReserved(name)) {
      reportVariable(name, [...names.keys()], context.report);
    }
  }
  return found;
};

/** Other software uses variables with our prefix too, so only names close to a key are reported. */
const reportVariable = (name: string, known: readonly string[], report: Report): void => {
  const bare = (variable: string): string => variable.slice('SVC_'.length);
  const found = nearest(bare(name), known.map(bare));
  if (found === undefined) return;
  const near = `SVC_${found}`;
  const isStrict = strictSections.some(
    (section) => near.startsWith(`SVC_${section.toUpperCase()}_`) && name.startsWith(`SVC_${section.toUpperCase()}_`),
  );
  report({
    severity: isStrict ? 'error' : 'warning',
    label: name,
    key: '',
    text: `unknown variable, did you mean ${near}`,
  });
};

/** Values of flags by key; a flag for an unknown key is a bug of the caller and refused. */
export const matchFlags = (
  flags: Readonly<Record<string, string>>,
  context: { readonly cwd: string; readonly report: Report },
): ReadonlyMap<string, Located> => {
  const found = new Map<string, Located>();
  for (const [key, text] of Object.entries(flags)) {
    const row = keyRows.get(key);
    const origin: Origin = { source: 'flag', label: `flag ${key}`, directory: context.cwd };
    if (row !== undefined) found.set(key, row.kind.fromText(text, origin));
    else context.report({ severity: 'error', label: origin.label, key: '', text: 'names no setting' });
  }
  return found;
};
