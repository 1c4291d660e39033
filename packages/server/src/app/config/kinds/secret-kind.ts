import { resolve } from 'node:path';
import type { LocatedMap } from '../located.ts';
import { jsonFromText, type Kind, MASK, type ParseContext, refuse, scalarFromText } from './kind.ts';

const wellKnown = new Set([
  '0123456789abcdef',
  '1234567890123456',
  'changemechangeme',
  'change-me-change-me',
  'change-me-please',
  'passwordpassword',
  'secretsecretsecret',
  'mysecretpassword',
  'supersecretsecret',
  'supersecretpassword',
  'your-256-bit-secret',
  'your-secret-here',
  'your-secret-key-here',
  'insecure-default',
]);

/** Least length of a secret that protects this server, in characters. */
const SECRET_MIN_CHARACTERS = 16;

/** What is wrong with a secret; never contains it. */
type SecretRule = (secret: string) => string | undefined;

const shortness: SecretRule = (secret) =>
  secret.length < SECRET_MIN_CHARACTERS ? `must have at least ${SECRET_MIN_CHARACTERS} characters` : undefined;

const weakness: SecretRule = (secret) => {
  const short = shortness(secret);
  if (short !== undefined) return short;
  const isRepeated = /^(.{1,4})\1+$/.test(secret);
  return wellKnown.has(secret.toLowerCase()) || isRepeated ? 'is too easy to guess: choose a random one' : undefined;
};

const read =
  (rule: SecretRule | undefined): Kind<string>['parse'] =>
  (located, context) => {
    const value = located.kind === 'map' ? readReference(located, context) : scalarText(located);
    if (value === undefined) {
      return located.kind === 'map'
        ? undefined
        : refuse(located, context, 'must be a text, {env: NAME} or {file: path}');
    }
    const fault = rule?.(value);
    return fault === undefined ? value : refuse(located, context, fault);
  };

const scalarText = (located: Parameters<Kind<string>['parse']>[0]): string | undefined =>
  located.kind === 'scalar' && typeof located.value === 'string' && located.value.trim() !== ''
    ? located.value
    : undefined;

/** `{env: NAME}` or `{file: path}`; one trailing line feed of a file is not part of the secret. */
const readReference = (located: LocatedMap, context: ParseContext): string | undefined => {
  const [only, ...others] = [...located.entries];
  const name = only?.[1].value.kind === 'scalar' ? only[1].value.value : undefined;
  if (only === undefined || others.length > 0 || typeof name !== 'string') {
    return refuse(located, context, 'must be a text, {env: NAME} or {file: path}');
  }
  if (only[0] === 'env') {
    const value = context.variable(name);
    return value === undefined || value === ''
      ? refuse(located, context, `environment variable ${name} is not set`)
      : value;
  }
  if (only[0] !== 'file') return refuse(located, context, 'must be a text, {env: NAME} or {file: path}');
  const value = context.readFile(resolve(located.origin.directory, name))?.replace(/\r?\n$/, '');
  return value === undefined || value === '' ? refuse(located, context, `file ${name} is missing or empty`) : value;
};

const secretKind = (rule?: SecretRule): Kind<string> => ({
  label: rule === undefined ? 'secret' : `secret of at least ${SECRET_MIN_CHARACTERS} characters`,
  parse: read(rule),
  show: () => MASK,
  fromText: (text, origin) => (/^\s*\{/.test(text) ? jsonFromText(text, origin) : scalarFromText(text, origin)),
});

/** A credential for another service: any text, `{env: NAME}` or `{file: path}`; never shown. */
export const secret: Kind<string> = secretKind();

/** A credential that protects this server; short and well-known ones are refused. */
export const strongSecret: Kind<string> = secretKind(weakness);

/** A key that encrypts stored values: a generated one, or a passphrase that is not short. */
export const keySecret: Kind<string> = secretKind(shortness);
