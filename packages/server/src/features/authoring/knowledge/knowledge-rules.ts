import { create } from '@bufbuild/protobuf';
import { type KnowledgeSpec, KnowledgeSpecSchema } from '@svc/api/resources';
import { type FieldViolation, invalidField, oversize } from '../../../base/index.ts';

/** Most bytes of a document as UTF-8 unless `limits.knowledgeMax` says otherwise. */
export const KNOWLEDGE_MAX = 1024 * 1024;
const PATH_MAX = 512;
const QUERY_MAX = 1024;
const LIMIT_DEFAULT = 5;
const LIMIT_MAX = 50;
const CONTROL = /\p{Cc}/u;

/** Slashes at either end. The look behind keeps it linear: without it a run of slashes is tried again from each of them. */
const OUTER_SLASHES = /^\/+|(?<!\/)\/+$/g;

/** A path as it is stored and searched: composed characters, no slashes around it. */
export const normalPath = (path: string): string => path.normalize('NFC').replace(OUTER_SLASHES, '');

/** The spec with its path in normal form; an absent one is the name. */
export const fillKnowledge = (spec: KnowledgeSpec, name: string): KnowledgeSpec => {
  const path = normalPath(spec.path === '' ? name : spec.path);
  return path === spec.path ? spec : create(KnowledgeSpecSchema, { ...spec, path });
};

/** True for a path that a document can have, in normal form. */
export const isKnowledgePath = (path: string): boolean =>
  [...path].length <= PATH_MAX &&
  path.isWellFormed() &&
  !CONTROL.test(path) &&
  path.split('/').every((segment) => !['', '.', '..'].includes(segment));

/** All faults of a document's fields; the path is in normal form. */
export const checkKnowledge = (spec: KnowledgeSpec, maxBytes = KNOWLEDGE_MAX): readonly FieldViolation[] => [
  ...(isKnowledgePath(spec.path)
    ? []
    : [
        {
          field: 'spec.path',
          description: `must have 1-${PATH_MAX} characters, no empty, "." or ".." segment and no control character`,
          reason: 'KNOWLEDGE_PATH',
        },
      ]),
  ...(Buffer.byteLength(spec.content) <= maxBytes ? [] : [oversize('spec.content', maxBytes, 'limits.knowledgeMax')]),
];

/** Refuses a blank or too long query. Throws FIELD_INVALID, with QUERY_REQUIRED for a blank one. */
export const requireQuery = (query: string): void => {
  if (query.trim() === '') throw invalidField('query', 'is required', 'QUERY_REQUIRED');
  if ([...query].length > QUERY_MAX) throw invalidField('query', `longer than ${QUERY_MAX} characters`);
};

/** Results to answer for a `limit`: 0 is 5, more than 50 is 50, negative is refused. */
export const resultLimit = (limit: number): number => {
  if (limit < 0) throw invalidField('limit', 'must not be negative');
  return limit === 0 ? LIMIT_DEFAULT : Math.min(limit, LIMIT_MAX);
};
