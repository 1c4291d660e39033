import type { Log } from '../../../../base/index.ts';
import type { ProviderReport, SandboxProvider } from '../../../../sandbox/contract.ts';
import type { ProviderChoice, ProviderPool } from './provider-pool.ts';

/** A failed probe is repeated after this time. */
const AGAIN_MS = 60_000;

interface ProviderReportsDeps {
  readonly pool: Pick<ProviderPool, 'find' | 'names'>;
  readonly log: Pick<Log, 'warn'>;
  readonly monotonicMs: () => number;
}

/** What providers can do here, found out in the background when it is first asked; a success holds until the process ends. */
export class ProviderReports {
  readonly #deps: ProviderReportsDeps;
  readonly #known = new Map<SandboxProvider, { readonly report: ProviderReport; readonly atMs: number }>();
  readonly #running = new Map<SandboxProvider, Promise<void>>();

  constructor(deps: ProviderReportsDeps) {
    this.#deps = deps;
  }

  /** What is known now; undefined while the provider is tried for the first time. */
  current(choice: ProviderChoice): ProviderReport | undefined {
    const { pool, monotonicMs } = this.#deps;
    const provider = pool.find(choice);
    if (provider === undefined) {
      const message = `this server has no sandbox provider ${choice.provider}: use ${pool.names.join(' or ')}`;
      return { isAvailable: false, message };
    }
    const known = this.#known.get(provider);
    const isOld = known !== undefined && !known.report.isAvailable && monotonicMs() - known.atMs >= AGAIN_MS;
    if (known === undefined || isOld) void this.probe(provider);
    return known?.report;
  }

  /** Tries the provider; one trial at a time. */
  probe(provider: SandboxProvider): Promise<void> {
    const running = this.#running.get(provider) ?? this.#try(provider).finally(() => this.#running.delete(provider));
    this.#running.set(provider, running);
    return running;
  }

  async #try(provider: SandboxProvider): Promise<void> {
    const report = await provider.probe().catch((error: unknown): ProviderReport => {
      this.#deps.log.warn('a sandbox provider could not be tried', { provider: provider.name, reason: String(error) });
      return { isAvailable: false, message: 'the trial of the provider failed; the log of the server says why' };
    });
    this.#known.set(provider, { report, atMs: this.#deps.monotonicMs() });
  }
}
