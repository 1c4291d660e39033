import type { Clock, Log } from '../../../base/index.ts';
import type { ConnectAgent } from '../../../protocols/acp/contract.ts';
import { isSecretReference, openMap, type ValueSeal } from '../../../resources/index.ts';
import type { Harnesses, HarnessTurn } from '../../../runtime/contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { ConfiguredHarness } from './harness-rules.ts';
import { HarnessRunner, type HarnessRunnerDeps } from './harness-runner.ts';

interface HarnessesModuleDeps extends Pick<HarnessRunnerDeps, 'use' | 'demoProgram' | 'serveTools'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Pick<ValueSeal, 'open'>;
  readonly connect: ConnectAgent;
  /** Value of a `secret://` reference, as the namespace sees it. */
  readonly secret: (namespace: string, reference: string) => Promise<string>;
  readonly settings: {
    readonly 'acp.harnesses': Readonly<Record<string, ConfiguredHarness>>;
  };
}

export interface HarnessesModule extends FeatureModule {
  /** What turns of agents with an external runtime are run by. */
  readonly harnesses: Harnesses;
}

/** External agents in sandboxes, over the Agent Client Protocol. */
export const harnessesModule = (deps: HarnessesModuleDeps): HarnessesModule => {
  const environment = async ({ namespace, agentUid, runtime }: HarnessTurn): Promise<Record<string, string>> => {
    const part = { kind: 'Agent', section: 'spec', uid: agentUid } as const;
    const map = { runtime: { acp: { env: { ...runtime.env } } } };
    const opened = openMap(part, map, { seal: deps.seal, unopened: 'blank' }) as typeof map;
    const values: Record<string, string> = {};
    for (const [name, value] of Object.entries(opened.runtime.acp.env))
      values[name] = isSecretReference(value) ? await deps.secret(namespace, value) : value;
    return values;
  };
  return {
    harnesses: new HarnessRunner({ ...deps, configured: deps.settings['acp.harnesses'], environment }),
  };
};
