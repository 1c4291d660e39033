import type { Located, LocatedEntry, Report } from '../located.ts';

const reference = /\$(\$?)\{([^}]*)\}/g;
const form = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

interface Expansion {
  readonly variable: (name: string) => string | undefined;
  readonly report: Report;
}

/**
 * Replaces `${NAME}` and `${NAME:-text}` in every text value; an unset name without text is an error, `$${` writes `${`.
 * Works on parsed values, so what a variable holds cannot change the structure of the file.
 */
export const expand = (located: Located, expansion: Expansion, key = ''): Located => {
  if (located.kind === 'list') {
    return { ...located, items: located.items.map((item, index) => expand(item, expansion, `${key}[${index}]`)) };
  }
  if (located.kind === 'map') {
    const entries = [...located.entries].map(([name, entry]): [string, LocatedEntry] => [
      name,
      { ...entry, value: expand(entry.value, expansion, key === '' ? name : `${key}.${name}`) },
    ]);
    return { ...located, entries: new Map(entries) };
  }
  if (typeof located.value !== 'string' || !located.value.includes('${')) return located;
  const fail = (text: string): string => {
    expansion.report({ severity: 'error', label: located.origin.label, key, text });
    return '';
  };
  return { ...located, value: expandText(located.value, expansion.variable, fail) };
};

const expandText = (text: string, variable: Expansion['variable'], fail: (text: string) => string): string =>
  text.replace(reference, (whole, dollar: string, inner: string) => {
    if (dollar === '$') return whole.slice(1);
    const match = form.exec(inner);
    if (match === null) return fail(`\${${inner}} is not a variable: write \${NAME} or \${NAME:-text}`);
    const [, name = '', otherwise] = match;
    const value = variable(name);
    if (value !== undefined && (value !== '' || otherwise === undefined)) return value;
    return otherwise ?? fail(`environment variable ${name} is not set`);
  });
