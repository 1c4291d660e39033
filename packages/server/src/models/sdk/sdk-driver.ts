import type { Clock } from '../../base/index.ts';
import { type Attempt, failed, type Outcome, type ProviderDriver } from '../attempt.ts';
import type { ProviderConfig } from '../contract.ts';
import { failureOf } from '../failure-rules.ts';
import type { HttpAgent } from '../http/http-agent.ts';

export type SdkType = 'openai' | 'anthropic' | 'google';

export interface SdkDriverOptions {
  readonly config: ProviderConfig;
  readonly type: SdkType;
  readonly clock: Clock;
  readonly agent: HttpAgent;
}

export class SdkDriver implements ProviderDriver {
  readonly #options: SdkDriverOptions;
  constructor(options: SdkDriverOptions) {
    this.#options = options;
  }
  async run(_attempt: Attempt): Promise<Outcome> {
    return failed(failureOf('provider_unavailable', { sentence: `${this.#options.type} is not built yet.` }));
  }
}
