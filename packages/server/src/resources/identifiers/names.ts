/** Grammar of names. Names are never trimmed; a read with a malformed name finds nothing. */

export type NameRule = 'namespace' | 'agent' | 'skill' | 'knowledge' | 'plain';

const SEGMENT = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';
const NAMESPACE = new RegExp(`^${SEGMENT}(?::${SEGMENT})*$`);
const AGENT = new RegExp(`^${SEGMENT}$`);
const SKILL = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const PLAIN = /^[A-Za-z0-9._:-]{1,253}$/;
const KNOWLEDGE = /^[A-Za-z0-9._:/-]{1,253}$/;
const SECRET_KEY = /^[A-Za-z0-9._-]{1,253}$/;
const NAME_LIMIT = 253;

const isDots = (text: string): boolean => text === '.' || text === '..';

const rules: Readonly<Record<NameRule, (name: string) => boolean>> = {
  namespace: (name) => name.length <= NAME_LIMIT && NAMESPACE.test(name),
  agent: (name) => AGENT.test(name),
  skill: (name) => SKILL.test(name),
  knowledge: (name) => KNOWLEDGE.test(name) && name.split('/').every((segment) => segment !== '' && !isDots(segment)),
  plain: (name) => PLAIN.test(name) && !isDots(name),
};

/** True when the text is a name by the rule of its kind. */
export const isName = (rule: NameRule, name: string): boolean => rules[rule](name);

/** Form of each rule in words, for error texts. */
export const nameForm: Readonly<Record<NameRule, string>> = {
  namespace: 'segments of 1-63 letters, digits, ".", "_", "-" joined by ":", at most 253 characters',
  agent: '1-63 letters, digits, ".", "_", "-", starting and ending with a letter or digit',
  skill: '1-63 lower-case letters, digits, "-", starting with a letter and not ending with "-"',
  knowledge: '1-253 letters, digits, "-", "_", ".", ":", "/" without empty, "." or ".." segments',
  plain: '1-253 letters, digits, "-", "_", ".", ":", neither "." nor ".."',
};

/** True for a key of Secret data. */
export const isSecretKey = (key: string): boolean => SECRET_KEY.test(key);
