import { clone } from '@bufbuild/protobuf';
import {
  type ConnectorClassAuthSpec,
  type ConnectorClassSpec,
  ConnectorClassSpecSchema,
  type ConnectorMatchIndex,
} from '@svc/api/resources';
import { type FieldViolation, isLongerThan, violation } from '../../../base/index.ts';
import { isSecretReference, parseSecretReference } from '../../../resources/index.ts';

export interface ConnectorClassRuleDeps {
  /** True for a variable that `connectors.envAllow` names and the configuration itself does not use. */
  readonly isEnvAllowed: (name: string) => boolean;
}

const PLATFORM_MAX = 63;
const INDEXES_MAX = 16;
const FIELDS_MAX = 8;
const FIELD_MAX = 63;
const INDEX_NAME = /^[A-Za-z0-9._-]{1,63}$/;
const AUTH_KINDS: ReadonlySet<string> = new Set(['', 'apikey', 'api_key', 'api-key', 'bearer', 'token']);
/** Also an empty one, which a parsed URL no longer shows. */
const USER_INFORMATION = /^https?:\/\/[^/]*@/i;

/** The one kind of credential, as it is stored whatever name it was written with. */
const API_KEY = 'apiKey';

/** The spec with the default runtime, the canonical name of the credential and no trailing slashes. */
export const fillClassDefaults = (spec: ConnectorClassSpec): ConnectorClassSpec => {
  const filled = clone(ConnectorClassSpecSchema, spec);
  const { runtime, auth } = filled;
  if (runtime !== undefined) {
    if (runtime.kind === '') runtime.kind = 'http';
    // Without the look behind a run of slashes is tried again from each of them.
    runtime.endpoint = runtime.endpoint.replace(/(?<!\/)\/+$/, '');
  }
  if (auth !== undefined && AUTH_KINDS.has(auth.kind.toLowerCase())) auth.kind = API_KEY;
  return filled;
};

/** All faults of a class; what only an attempt can refute is a condition. */
export const checkConnectorClass = (
  spec: ConnectorClassSpec,
  deps: ConnectorClassRuleDeps,
): readonly FieldViolation[] => [
  ...(isLongerThan(spec.platform, PLATFORM_MAX)
    ? [violation('spec.platform', `longer than ${PLATFORM_MAX} characters`, 'FIELD_INVALID')]
    : []),
  ...checkEndpoint(spec.runtime?.endpoint ?? ''),
  ...(spec.auth === undefined ? [] : checkAuth(spec.auth, deps)),
  ...checkIndexes(spec.matchIndexes),
];

const checkEndpoint = (endpoint: string): readonly FieldViolation[] => {
  const invalid = (description: string) => [violation('spec.runtime.endpoint', description, 'ENDPOINT_INVALID')];
  if (endpoint === '') return invalid('is required');
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(endpoint)) return invalid('must be an absolute http or https URL');
  if (USER_INFORMATION.test(endpoint) || /[?#\s\\]/.test(endpoint))
    return invalid('must have no user information, query, fragment or backslash');
  return [];
};

const checkAuth = (auth: ConnectorClassAuthSpec, deps: ConnectorClassRuleDeps): readonly FieldViolation[] => [
  ...(auth.kind === API_KEY ? [] : [violation('spec.auth.kind', `must be ${API_KEY}`, 'AUTH_KIND')]),
  ...checkApiKey(auth.apiKey, deps),
];

const checkApiKey = (
  apiKey: ConnectorClassAuthSpec['apiKey'],
  deps: ConnectorClassRuleDeps,
): readonly FieldViolation[] => {
  const at = 'spec.auth.apiKey';
  const { plain, env } = apiKey ?? {};
  if ((plain === undefined) === (env === undefined)) return [violation(at, 'needs either plain or env', 'SECRET_REF')];
  if (env !== undefined) {
    if (env.trim() === '') return [violation(`${at}.env`, 'must not be blank', 'SECRET_REF')];
    return deps.isEnvAllowed(env)
      ? []
      : [violation(`${at}.env`, 'is not a variable connectors may use', 'ENV_NOT_ALLOWED')];
  }
  if (plain === undefined || plain.trim() === '') return [violation(`${at}.plain`, 'must not be blank', 'SECRET_REF')];
  return isSecretReference(plain) && parseSecretReference(plain) === undefined
    ? [violation(`${at}.plain`, 'must be secret://name/key or a literal', 'SECRET_REF')]
    : [];
};

const checkIndexes = (indexes: readonly ConnectorMatchIndex[]): readonly FieldViolation[] => {
  const path = 'spec.matchIndexes';
  const invalid = (field: string, description: string) => violation(field, description, 'MATCH_INDEX');
  if (indexes.length > INDEXES_MAX) return [invalid(path, `more than ${INDEXES_MAX} indexes`)];
  return indexes.flatMap(({ name, fields }, position) => {
    const at = `${path}[${position}]`;
    const isTaken = indexes.findIndex((other) => other.name === name) < position;
    return [
      ...(INDEX_NAME.test(name) ? [] : [invalid(`${at}.name`, 'must be 1-63 letters, digits, "-", "_" or "."')]),
      ...(isTaken ? [invalid(`${at}.name`, 'is the name of another index')] : []),
      ...checkIndexFields(fields, (place, description) => invalid(`${at}.fields${place}`, description)),
    ];
  });
};

const checkIndexFields = (
  fields: readonly string[],
  invalid: (place: string, description: string) => FieldViolation,
): readonly FieldViolation[] => {
  if (fields.length === 0 || fields.length > FIELDS_MAX) return [invalid('', `must hold 1 to ${FIELDS_MAX} fields`)];
  return fields.flatMap((field, index) => {
    const isBad = field.trim() === '' || isLongerThan(field, FIELD_MAX) || fields.indexOf(field) < index;
    return isBad ? [invalid(`[${index}]`, `must be unique, not blank, at most ${FIELD_MAX} characters`)] : [];
  });
};
