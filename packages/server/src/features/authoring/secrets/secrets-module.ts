import type { AppendAudit } from '../../../controllers/contract.ts';
import type { Operation } from '../../../operations/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { SecretKeys } from './secret-keys.ts';
import { secretContract } from './secret-kind.ts';
import { type SecretOperationsDeps, secretOperations } from './secret-operations.ts';
import { auditSecretReads } from './secret-read-audit.ts';
import { SecretResolver, type SecretResolverDeps } from './secret-resolver.ts';

interface SecretsModuleDeps extends Pick<SecretResolverDeps, 'lineage'>, Pick<SecretOperationsDeps, 'resealKind'> {
  readonly store: Store;
  readonly keys: SecretKeys;
  readonly audit: AppendAudit;
}

export interface SecretsModule extends FeatureModule {
  /** Values behind `secret://` for everything that uses them. */
  readonly resolver: SecretResolver;
  /** The same as functions that features ask for. */
  readonly reading: {
    readonly secret: (namespace: string, reference: string) => Promise<string>;
    readonly secretProblem: SecretResolver['problem'];
  };
  /** The operations with an audit record of every answer that shows values of a Secret. */
  readonly withReadAudit: (operations: readonly Operation[]) => readonly Operation[];
}

/** The kind Secret and the rotation of the keys that values are encrypted with. */
export const secretsModule = (deps: SecretsModuleDeps): SecretsModule => {
  const { store, keys, audit, lineage } = deps;
  const resolver = new SecretResolver({ store, seal: keys.ring, lineage });
  return {
    kinds: [secretContract()],
    operations: secretOperations(deps),
    checks: [{ name: 'keys', check: () => keys.requireKnown() }],
    resolver,
    reading: {
      secret: (namespace, reference) => resolver.resolve(namespace, reference),
      secretProblem: (reads, namespace, reference) => resolver.problem(reads, namespace, reference),
    },
    withReadAudit: (operations) => auditSecretReads(operations, { store, audit }),
  };
};
