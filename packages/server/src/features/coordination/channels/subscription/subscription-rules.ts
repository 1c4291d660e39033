import { clone, create } from '@bufbuild/protobuf';
import {
  ChannelContextPolicySchema,
  type ChannelSubscriptionSpec,
  ChannelSubscriptionSpecSchema,
} from '@svc/api/resources';
import { type FieldViolation, isLongerThan, violation } from '../../../../base/index.ts';
import type { Finding, Judged } from '../../../../resources/index.ts';
import { checkSpecMetadata } from '../channel-rules.ts';

export type ReplyMode = 'tool' | 'auto' | 'none';

const TRIGGERS: ReadonlySet<string> = new Set(['mention', 'manual', 'all', 'routed', 'disabled']);
const REPLY_MODES: ReadonlySet<string> = new Set(['tool', 'auto', 'none']);
const CONTEXT_MODES: ReadonlySet<string> = new Set(['recent_public', 'none']);
const MODE_CHARS = 63;
const CONTEXT_MESSAGES = 20;
const CONTEXT_MESSAGES_MAX = 50;

const word = (text: string, otherwise: string): string => {
  const plain = text.trim().toLowerCase();
  return plain === '' ? otherwise : plain;
};

/** A subscription's spec as it is stored: words trimmed and lower-cased, absent values filled in. */
export const fillSubscription = (spec: ChannelSubscriptionSpec): ChannelSubscriptionSpec => {
  const filled = clone(ChannelSubscriptionSpecSchema, spec);
  const { mode = '', maxMessages = 0 } = spec.contextPolicy ?? {};
  filled.enabled = spec.enabled ?? true;
  filled.trigger = word(spec.trigger, 'mention');
  filled.replyMode = word(spec.replyMode, 'tool');
  filled.contextPolicy = create(ChannelContextPolicySchema, {
    mode: mode === '' ? 'recent_public' : mode,
    maxMessages: maxMessages === 0 ? CONTEXT_MESSAGES : Math.min(maxMessages, CONTEXT_MESSAGES_MAX),
  });
  return filled;
};

/** All faults of a filled spec that is stored under `channel`; whether channel and agent exist is asked elsewhere. */
export const checkSubscription = (spec: ChannelSubscriptionSpec, channel: string): readonly FieldViolation[] => [
  ...checkChannelName(spec.channel, channel),
  ...(spec.agent === '' ? [violation('spec.agent', 'is required')] : []),
  ...(TRIGGERS.has(spec.trigger)
    ? []
    : [violation('spec.trigger', `must be one of ${[...TRIGGERS].join(', ')}`, 'TRIGGER')]),
  ...checkLength(spec.replyMode, 'spec.replyMode'),
  ...checkLength(spec.contextPolicy?.mode ?? '', 'spec.contextPolicy.mode'),
  ...checkSpecMetadata(spec.metadata),
];

const checkChannelName = (given: string, channel: string): readonly FieldViolation[] => {
  if (given === '') return [violation('spec.channel', 'is required')];
  return given === channel
    ? []
    : [violation('spec.channel', 'is not the channel of the address', 'PATH_BODY_MISMATCH')];
};

const checkLength = (text: string, field: string): readonly FieldViolation[] =>
  isLongerThan(text, MODE_CHARS) ? [violation(field, `more than ${MODE_CHARS} characters`)] : [];

/** How replies of the subscription's sessions leave; unknown text acts as `tool`. */
export const replyModeOf = (spec: Pick<ChannelSubscriptionSpec, 'replyMode'>): ReplyMode =>
  spec.replyMode === 'auto' || spec.replyMode === 'none' ? spec.replyMode : 'tool';

/** How many messages before the trigger a routed session sees; unknown modes act as `recent_public`. */
export const contextSize = (spec: Pick<ChannelSubscriptionSpec, 'contextPolicy'>): number =>
  spec.contextPolicy?.mode === 'none' ? 0 : (spec.contextPolicy?.maxMessages ?? CONTEXT_MESSAGES);

/** True for a subscription that no message can reach. */
export const isSubscriptionOff = (spec: Pick<ChannelSubscriptionSpec, 'enabled' | 'trigger'>): boolean =>
  spec.enabled === false || spec.trigger === 'disabled';

/** Phase and conditions of a filled spec. */
export const judgeSubscription = (spec: ChannelSubscriptionSpec, hasAgent: boolean): Judged => {
  const references: Finding = hasAgent
    ? { type: 'ReferencesResolved', status: 'True', reason: 'Resolved' }
    : {
        type: 'ReferencesResolved',
        status: 'False',
        reason: 'AgentNotFound',
        message: `agent ${spec.agent} does not exist`,
      };
  const phase = isSubscriptionOff(spec) ? 'Disabled' : hasAgent ? 'Ready' : 'Degraded';
  return { phase, findings: [accepted(spec), references] };
};

const accepted = (spec: ChannelSubscriptionSpec): Finding => {
  const mode = spec.contextPolicy?.mode ?? '';
  const unknown = [
    ...(REPLY_MODES.has(spec.replyMode) ? [] : [`reply mode ${spec.replyMode} acts as tool`]),
    ...(CONTEXT_MODES.has(mode) ? [] : [`context mode ${mode} acts as recent_public`]),
  ];
  const reason = REPLY_MODES.has(spec.replyMode) ? 'UnknownContextMode' : 'UnknownReplyMode';
  if (unknown.length === 0) return { type: 'Accepted', status: 'True', reason: 'Accepted' };
  return { type: 'Accepted', status: 'True', reason, message: unknown.join('; ') };
};
