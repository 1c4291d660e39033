import type { Message } from '@bufbuild/protobuf';
import type { Resource } from '@svc/api/resources';
import type { AppendAudit } from '../../../controllers/contract.ts';
import type { Operation, UnaryOperation } from '../../../operations/index.ts';
import { formatKey, parseJsonMap, recordKey } from '../../../resources/index.ts';
import type { Store } from '../../../store/contracts/index.ts';

interface SecretReadAuditDeps {
  readonly store: Pick<Store, 'write'>;
  readonly audit: AppendAudit;
}

/** The operations with an audit record of every answer that holds values of a Secret, made before it leaves. */
export const auditSecretReads = (operations: readonly Operation[], deps: SecretReadAuditDeps): readonly Operation[] =>
  operations.map((operation) => {
    if (operation.kind !== 'unary') return operation;
    const handle: UnaryOperation['handle'] = async (request, context) => {
      const answer = await operation.handle(request, context);
      const read = shownResources(answer as Message & Shown).filter(showsValues);
      if (read.length === 0) return answer;
      await deps.store.write(async (tx) => {
        for (const { kind, metadata } of read) {
          const { name = '', namespace = '', resourceVersion = '' } = metadata ?? {};
          const target = formatKey(recordKey(kind, namespace, name));
          await deps.audit(tx, context, { target, namespace, resourceVersion, outcome: 'secret-read' });
        }
      });
      return answer;
    };
    return { ...operation, handle };
  });

/** The answers that show resources whole: one, or one for each document of an apply. */
interface Shown {
  readonly resource?: Resource;
  readonly results?: readonly { readonly resource?: Resource }[];
}

const shownResources = ({ resource, results = [] }: Shown): readonly Resource[] =>
  [resource, ...results.map((result) => result.resource)].filter((shown) => shown !== undefined);

/** True when a value of a Secret can be read, also of one that a template holds. */
const showsValues = ({ spec }: Resource): boolean => {
  const shown = spec?.kind;
  if (shown?.case === 'secret') return hasText(shown.value.data);
  if (shown?.case !== 'template' || shown.value.kind !== 'Secret') return false;
  const { data, stringData } = parseJsonMap(shown.value.specJson) ?? {};
  return hasText(data) || hasText(stringData);
};

const hasText = (values: unknown): boolean =>
  typeof values === 'object' && values !== null && Object.values(values).some((value) => value !== '');
