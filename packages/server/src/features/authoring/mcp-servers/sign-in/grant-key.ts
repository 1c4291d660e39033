import { createHash } from 'node:crypto';

/** Whose tokens, for which server, used by agents of which namespace. */
export interface GrantKey {
  readonly namespace: string;
  readonly serverUid: string;
  /** '' = everyone in the namespace. */
  readonly identity: string;
}

/** 32 hex digits for one key. */
export const grantId = ({ namespace, serverUid, identity }: GrantKey): string =>
  createHash('sha256')
    .update(JSON.stringify([namespace, serverUid, identity]))
    .digest('hex')
    .slice(0, 32);

const QUESTION = 'sign-in/';

/** Names the question for a sign-in in the records of people's answers. */
export const questionKey = (key: GrantKey, stateHash: string): string =>
  `${QUESTION}${grantId(key)}/${stateHash.slice(0, 16)}`;

/** True for a question that a sign-in for this key answers, whichever of its addresses was shown. */
export const asksFor = (key: GrantKey, question: string | undefined): boolean =>
  question?.startsWith(`${QUESTION}${grantId(key)}/`) === true;
