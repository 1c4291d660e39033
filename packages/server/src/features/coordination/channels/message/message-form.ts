import { create } from '@bufbuild/protobuf';
import { type ChannelMessage, ChannelMessageSchema, ObjectRefSchema } from '@svc/api/data';
import { BoundedCache } from '../../../../base/index.ts';
import { deepFreeze } from '../../../../resources/index.ts';
import type { ChannelMessageRow } from '../../../../store/contracts/index.ts';
import type { MessageBody } from '../channel-message.ts';

const ENTRIES = 5_000;

/** Wire messages of stored ones: frozen and shared, so that transport encodes each once for all its readers. */
export class MessageForms {
  readonly #known = new BoundedCache<string, ChannelMessage>(ENTRIES);

  of(row: ChannelMessageRow, names: { readonly namespace: string; readonly channel: string }): ChannelMessage {
    const key = `${row.channelUid}/${row.id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const message = deepFreeze(build(row, names));
    this.#known.set(key, message);
    return message;
  }
}

const build = (
  row: ChannelMessageRow,
  names: { readonly namespace: string; readonly channel: string },
): ChannelMessage => {
  const body = JSON.parse(row.body) as MessageBody;
  return create(ChannelMessageSchema, {
    id: row.id,
    ns: names.namespace,
    channel: names.channel,
    authorKind: body.authorKind,
    author: body.author,
    content: body.content,
    createdAt: BigInt(row.createdAt),
    sourceAgent: body.sourceAgent ?? '',
    sourceSessionId: body.sourceSessionId ?? '',
    labels: { ...body.labels },
    attachments: (body.attachments ?? []).map((object) =>
      create(ObjectRefSchema, { ...object, sizeBytes: BigInt(object.sizeBytes) }),
    ),
  });
};
