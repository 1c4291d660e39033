import { invalidField } from '../base/index.ts';

/** One requirement of a label selector. */
export type LabelRequirement =
  | { readonly op: 'in' | 'notIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly op: 'exists' | 'notExists'; readonly key: string };

const KEY = '[A-Za-z0-9][A-Za-z0-9_./-]{0,316}';
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)([^=(),]*)$`);
const PRESENCE = new RegExp(`^(!?)\\s*(${KEY})$`);
const REQUIREMENTS_MAX = 64;
/** The field of every request that takes one. */
const FIELD = 'labelSelector';

/** Requirements of `label_selector`, all of which must hold; '' has none. Throws FIELD_INVALID. */
export const parseLabelSelector = (text: string): readonly LabelRequirement[] => {
  if (text.trim() === '') return [];
  const terms = splitTerms(text);
  if (terms.length > REQUIREMENTS_MAX) throw invalidField(FIELD, `has more than ${REQUIREMENTS_MAX} requirements`);
  return terms.map((term) => parseTerm(term.trim()));
};

/** Commas inside parentheses belong to their term. */
const splitTerms = (text: string): string[] => {
  const terms: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === ',' && depth === 0) {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
};

const parseTerm = (term: string): LabelRequirement => {
  const set = SET.exec(term);
  if (set !== null) {
    const [, key = '', word = '', list = ''] = set;
    return { op: word === 'in' ? 'in' : 'notIn', key, values: list.split(',').map((value) => value.trim()) };
  }
  const equality = EQUALITY.exec(term);
  if (equality !== null) {
    const [, key = '', sign = '', value = ''] = equality;
    return { op: sign === '!=' ? 'notIn' : 'in', key, values: [value.trim()] };
  }
  const presence = PRESENCE.exec(term);
  if (presence === null) throw invalidField(FIELD, `"${term.slice(0, 80)}" is not a requirement`);
  const [, not = '', key = ''] = presence;
  return { op: not === '!' ? 'notExists' : 'exists', key };
};

/** True when the labels meet every requirement; `notIn` also where the key is absent. */
export const matchesLabels = (
  labels: Readonly<Record<string, string>>,
  requirements: readonly LabelRequirement[],
): boolean => requirements.every((requirement) => meets(labels, requirement));

const meets = (labels: Readonly<Record<string, string>>, requirement: LabelRequirement): boolean => {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.op) {
    case 'exists':
      return value !== undefined;
    case 'notExists':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notIn':
      return value === undefined || !requirement.values.includes(value);
  }
};
