import type { ExplainChannelMessageRequest, PostChannelMessageRequest } from '@svc/api/gateway';
import { type FieldViolation, isLongerThan, violation } from '../../../../base/index.ts';
import { checkLabels, checkSystemKeys, type LabelLimits } from '../../../../resources/index.ts';

const AUTHOR_KIND_CHARS = 63;
const AUTHOR_CHARS = 253;
const SUBSCRIPTION_NAMES = 64;
/** Attachments of one message, as of a session message. */
const ATTACHMENTS = 20;

/** A message to post, or to explain. */
export type ChannelPost = PostChannelMessageRequest | ExplainChannelMessageRequest;

/** All faults of a post; the size of its content is judged apart, by `isContentTooLarge`. */
export const checkPost = (request: ChannelPost, limits: LabelLimits): readonly FieldViolation[] => [
  ...(request.content.trim() === '' && request.attachments.length === 0
    ? [violation('content', 'must not be blank without attachments', 'CONTENT_REQUIRED')]
    : []),
  ...(isLongerThan(request.authorKind, AUTHOR_KIND_CHARS)
    ? [violation('authorKind', `more than ${AUTHOR_KIND_CHARS} characters`)]
    : []),
  ...(isLongerThan(request.author, AUTHOR_CHARS) ? [violation('author', `more than ${AUTHOR_CHARS} characters`)] : []),
  ...(request.subscriptionNames.length > SUBSCRIPTION_NAMES
    ? [violation('subscriptionNames', `more than ${SUBSCRIPTION_NAMES} names`)]
    : []),
  ...(request.attachments.length > ATTACHMENTS
    ? [violation('attachments', `more than ${ATTACHMENTS} attachments`)]
    : []),
  ...request.attachments.flatMap((attachment, index) =>
    attachment.key === '' ? [violation(`attachments[${index}].key`, 'is required')] : [],
  ),
  ...checkLabels(request.labels, 'labels', limits),
  ...checkSystemKeys({}, request.labels, 'labels'),
];

/** True when the content, trimmed, has more than `limitBytes` bytes. */
export const isContentTooLarge = (content: string, limitBytes: number): boolean =>
  Buffer.byteLength(content.trim()) > limitBytes;
