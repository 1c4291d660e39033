import type { Message } from '@bufbuild/protobuf';
import type { ResourceMeta } from '@svc/api/resources';
import type { DesiredResource } from '../../controllers/contract.ts';
import { ownerRecord } from '../../resources/index.ts';

/** What a request with a whole resource wants; owners and finalizers stay as they are unless it names some. */
export const desiredOf = (metadata: ResourceMeta | undefined, spec: Message): DesiredResource => {
  const owners = (metadata?.ownerReferences ?? []).map(ownerRecord);
  const finalizers = metadata?.finalizers ?? [];
  return {
    spec,
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations ?? {},
    ...(owners.length === 0 ? {} : { owners }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
};
