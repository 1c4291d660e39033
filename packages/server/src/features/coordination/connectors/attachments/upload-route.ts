import { create, toJsonString } from '@bufbuild/protobuf';
import { ObjectRefSchema } from '@svc/api/data';
import { invalidFields, violation } from '../../../../base/index.ts';
import type { HttpRoute } from '../../../../operations/index.ts';
import type { ObjectAccess, ObjectData } from '../../../../runtime/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { type LiveClassDeps, registrationOf, requireLiveClass } from '../live-class.ts';
import { ATTACHMENT_BYTES } from './settle-attachments.ts';

export interface UploadRouteDeps extends LiveClassDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
}

const NAME_CHARS = 255;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Who holds the bytes of an upload until a message does. */
export const uploadHolderOf = (classUid: string, key: string): string => `connector-upload/${classUid}/${key}`;

/** `POST /v1/connectors/attachments`: takes the bytes of an attachment ahead of the event that names it, and answers what to name it by. */
export const uploadRoute = (deps: UploadRouteDeps): HttpRoute => ({
  method: 'POST',
  pattern: '/v1/connectors/attachments',
  authenticated: true,
  isCallback: true,
  handle: async (exchange, _params, { caller }) => {
    const { key } = await requireLiveClass(deps, deps.store.direct, registrationOf(caller));
    const filename = exchange.query.get('filename') ?? '';
    const expected = (exchange.query.get('sha256') ?? '').toLowerCase();
    if (filename.length > NAME_CHARS || !filename.isWellFormed())
      throw invalidFields([violation('filename', `must have at most ${NAME_CHARS} characters`)]);
    const bytes = await exchange.body({ bytes: ATTACHMENT_BYTES });
    const mediaType = (exchange.header('content-type') ?? '').split(';')[0]?.trim() || UNKNOWN_TYPE;
    const object = await deps.objects.store(key.namespace, bytes, { mediaType, filename });
    if (expected !== '' && expected !== object.sha256)
      throw invalidFields([violation('sha256', 'is not that of the bytes', 'ATTACHMENT_MISMATCH')]);
    await keepUpload(deps, { classUid: caller.registration?.classUid ?? '', namespace: key.namespace, object });
    const answer = create(ObjectRefSchema, { ...object, sizeBytes: BigInt(object.sizeBytes) });
    exchange.answer(200, { 'content-type': 'application/json' }, toJsonString(ObjectRefSchema, answer));
  },
});

const keepUpload = (
  { store, objects }: UploadRouteDeps,
  {
    classUid,
    namespace,
    object,
  }: { readonly classUid: string; readonly namespace: string; readonly object: ObjectData },
): Promise<void> =>
  store.write(async (tx) => {
    await objects.hold(tx, namespace, object, uploadHolderOf(classUid, object.key));
    const body = JSON.stringify(object);
    await tx.connectorUploads.put({ classUid, objectKey: object.key, namespace, body, createdAt: tx.steadyNow() });
  });
