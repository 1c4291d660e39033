import { namespaceKey, recordKey } from '../../../../resources/index.ts';
import type { ReadTx, Store } from '../../../../store/contracts/index.ts';
import type { Grant, Grants } from './grants.ts';
import type { SignIns } from './sign-ins.ts';

interface SignInUpkeepDeps {
  readonly store: Pick<Store, 'direct' | 'write'>;
  readonly grants: Grants;
  readonly signIns: Pick<SignIns, 'trim'>;
}

/** Removes sign-ins that expired, and grants whose server or namespace is gone: nothing can use them any more. */
export const signInUpkeep = async ({ store, grants, signIns }: SignInUpkeepDeps): Promise<void> => {
  while (await signIns.trim());
  for await (const page of grants.all(store.direct))
    for (const grant of page)
      if (!(await isUsable(store.direct, grant)))
        await store.write(async (tx) => {
          if (!(await isUsable(tx, grant))) await tx.mcpGrants.remove(grant.key);
        });
};

const isUsable = async (
  reads: Pick<ReadTx, 'resources'>,
  { key, server, serverNamespace, target }: Grant,
): Promise<boolean> => {
  const home = await reads.resources.get(namespaceKey(key.namespace));
  const found = await reads.resources.get(recordKey('McpServer', serverNamespace, server));
  return home?.uid === target.namespaceUid && found?.uid === key.serverUid;
};
