import { create, toJson } from '@bufbuild/protobuf';
import { ObjectRefSchema } from '@svc/api/data';
import { ConnectorDeliveryRequestSchema } from '@svc/api/external';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { Delivery } from './delivery-record.ts';

/** Makes an address at which an object can be fetched for a while without a credential. */
export type SignedUrl = (namespace: string, object: ObjectData) => string;

/** Body of a delivery to a connector service: every field, empty ones too; optional ones that are not set are left out. */
export const deliveryJson = ({ id, namespace, connector, body }: Delivery, signedUrl: SignedUrl): string => {
  const { threadId, replyTo } = body;
  const message = create(ConnectorDeliveryRequestSchema, {
    deliveryId: id,
    registrationId: body.registrationId,
    connectorClass: body.className,
    namespace,
    connectorName: connector,
    matchFields: { ...body.matchFields },
    externalConversationId: body.conversationId,
    ...(threadId === '' ? {} : { externalThreadId: threadId }),
    ...(replyTo === '' ? {} : { replyToExternalMessageId: replyTo }),
    text: body.text,
    attachments: body.attachments.map((object) =>
      create(ObjectRefSchema, {
        key: object.key,
        mediaType: object.mediaType,
        sizeBytes: BigInt(object.sizeBytes),
        sha256: object.sha256,
        filename: object.filename,
        metadata: { download_url: signedUrl(namespace, object) },
      }),
    ),
    labels: { ...body.labels },
  });
  return JSON.stringify(toJson(ConnectorDeliveryRequestSchema, message, { alwaysEmitImplicit: true }));
};
