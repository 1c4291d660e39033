import { type SecretSpec, SecretSpecSchema } from '@svc/api/resources';
import { followKinds, type KindContract, kindContract } from '../../../controllers/contract.ts';
import { commonStatus, type Finding, isSealed, messageFromText } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { checkSecret, fillSecretDefaults } from './secret-rules.ts';

/** How Secrets are written, whichever operation writes them. Their values arrive decrypted, as far as they can be. */
export const secretContract = (): KindContract =>
  kindContract<SecretSpec>({
    kind: 'Secret',
    defaults: fillSecretDefaults,
    validate: ({ spec, current }) => checkSecret(spec, current === undefined ? undefined : secretSpec(current)),
    ownBounds: ({ data }) => Object.values(data),
    observe: async (tx, { current, spec, generation }) => {
      const finding = judgeSecret(spec);
      const phase = finding.status === 'True' ? 'Ready' : 'Degraded';
      return commonStatus(current, { phase, findings: [finding] }, { now: tx.now(), generation });
    },
    dependsOn: followKinds('Secret', {}),
  });

const secretSpec = (record: Pick<StoredResource, 'spec'>): SecretSpec =>
  messageFromText(SecretSpecSchema, record.spec) as SecretSpec;

/** A value that still looks sealed is one whose key is missing: base64 has no such form. */
const judgeSecret = (spec: SecretSpec): Finding => {
  const closed = Object.entries(spec.data)
    .filter(([, value]) => isSealed(value))
    .map(([key]) => key);
  return closed.length === 0
    ? { type: 'Decryptable', status: 'True', reason: 'Decrypted' }
    : { type: 'Decryptable', status: 'False', reason: 'KeyMissing', message: `no key opens ${closed.join(', ')}` };
};
