import type { JsonObject } from '@bufbuild/protobuf';
import { textOf } from '../json-value.ts';

/** What a grant covers, such as `acme/helper`; '' for everything. */
export const scopeText = (grant: JsonObject): string =>
  ['namespace', 'agent', 'session', 'channel']
    .filter((field) => grant[field] !== undefined)
    .map((field) => textOf(grant[field]))
    .join('/');

/** A grant as `--grant` takes it, such as `viewer@acme`; `+secrets` when it reads secret values. */
export const grantText = (grant: JsonObject): string => {
  const scope = scopeText(grant);
  return `${textOf(grant['role'])}${scope === '' ? '' : `@${scope}`}${grant['readSecrets'] === true ? '+secrets' : ''}`;
};
