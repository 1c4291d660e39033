import { create } from '@bufbuild/protobuf';
import { type ChannelEvent, ChannelEventSchema } from '@svc/api/events';
import type { ChannelEventRow } from '../../../../store/contracts/index.ts';
import type { EventBody } from '../channel-log.ts';
import type { MessageForms } from '../message/index.ts';
import type { ChannelCursors } from './channel-cursor.ts';

/** A channel that events belong to. */
export interface ChannelAddress {
  readonly uid: string;
  readonly namespace: string;
  readonly channel: string;
}

export interface EventForms {
  readonly forms: MessageForms;
  readonly cursors: ChannelCursors;
}

/** The wire message of a stored event. */
export const channelEvent = (row: ChannelEventRow, address: ChannelAddress, deps: EventForms): ChannelEvent => {
  const { uid, namespace, channel } = address;
  const { sessionId = '', agent = '', subscription = '', error = '' } = JSON.parse(row.body) as EventBody;
  return create(ChannelEventSchema, {
    ns: namespace,
    channel,
    kind: row.kind as number,
    sessionId,
    agent,
    subscription,
    error,
    ...(row.message === undefined ? {} : { message: deps.forms.of(row.message, { namespace, channel }) }),
    timestamp: BigInt(row.at),
    sequence: BigInt(row.sequence),
    cursor: deps.cursors.encode(uid, row.sequence),
  });
};
