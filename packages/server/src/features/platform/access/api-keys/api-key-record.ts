import { create } from '@bufbuild/protobuf';
import { type ApiKey, ApiKeySchema } from '@svc/api/data';
import type { CallerGrant } from '../../../../auth/contract.ts';
import { grantMessage } from '../grant-rules.ts';

/** What is kept of an API key; times in micros. The secret is shown once and kept nowhere: only its hash is. */
export interface ApiKeyRecord {
  /** 32 lower-case hexadecimal digits; text order is the order of creation. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole credential, hexadecimal. */
  readonly hash: string;
  readonly grants: readonly CallerGrant[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

const FORM = /^svc_([0-9a-f]{32})_[A-Za-z0-9_-]{43}$/;
const ID = /^[0-9a-f]{32}$/;

/** The id in a credential of the form `svc_<id>_<secret>`; undefined for any other text. */
export const apiKeyIdOf = (credential: string): string | undefined => FORM.exec(credential)?.[1];

/** True for what can be the id of a key. */
export const isApiKeyId = (text: string): boolean => ID.test(text);

/** The start of the credential, by which its holder finds it in a list; not secret. */
export const apiKeyPrefix = (id: string): string => `svc_${id}`;

/** As the API shows a key; `lastUsedAt` 0 = never used. */
export const apiKeyMessage = (record: ApiKeyRecord, lastUsedAt: number): ApiKey =>
  create(ApiKeySchema, {
    id: record.id,
    name: record.name,
    prefix: apiKeyPrefix(record.id),
    grants: record.grants.map(grantMessage),
    createdAt: BigInt(record.createdAt),
    lastUsedAt: BigInt(lastUsedAt),
    ...(record.expiresAt === undefined ? {} : { expiresAt: BigInt(record.expiresAt) }),
    ...(record.revokedAt === undefined ? {} : { revokedAt: BigInt(record.revokedAt) }),
  });
