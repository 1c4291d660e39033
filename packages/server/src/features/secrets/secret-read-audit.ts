import type { Message } from '@bufbuild/protobuf';
import type { Resource } from '@svc/api/resources';
import type { AppendAudit } from '../../controllers/contract.ts';
import { formatKey, recordKey } from '../../resources/index.ts';
import type { Store } from '../../store/contracts/index.ts';
import type { Operation, UnaryOperation } from '../contract.ts';

export interface SecretReadAuditDeps {
  readonly store: Pick<Store, 'write'>;
  readonly audit: AppendAudit;
}

/** The operations with an audit record of every answer that holds values of a Secret, made before it leaves (PL-8.3). */
export const auditSecretReads = (operations: readonly Operation[], deps: SecretReadAuditDeps): readonly Operation[] =>
  operations.map((operation) => {
    if (operation.kind !== 'unary') return operation;
    const handle: UnaryOperation['handle'] = async (request, context) => {
      const answer = await operation.handle(request, context);
      const read = shownSecret(answer as Message & { readonly resource?: Resource });
      if (read === undefined) return answer;
      const { name = '', namespace = '', resourceVersion = '' } = read.metadata ?? {};
      const target = formatKey(recordKey('Secret', namespace, name));
      await deps.store.write((tx) =>
        deps.audit(tx, context, { target, namespace, resourceVersion, outcome: 'secret-read' }),
      );
      return answer;
    };
    return { ...operation, handle };
  });

/** The Secret of an answer when any of its values can be read from it. */
const shownSecret = ({ resource }: { readonly resource?: Resource }): Resource | undefined => {
  const spec = resource?.spec?.kind;
  if (spec?.case !== 'secret') return undefined;
  return Object.values(spec.value.data).some((value) => value !== '') ? resource : undefined;
};
