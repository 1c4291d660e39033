import type { Log } from '../../../../base/index.ts';
import type { ProviderReport, SandboxProvider } from '../../../../sandbox/contract.ts';

/** A failed probe is repeated after this time. */
const AGAIN_MS = 60_000;

interface ProviderReportsDeps {
  readonly providers: ReadonlyMap<string, SandboxProvider>;
  readonly log: Pick<Log, 'warn'>;
  readonly monotonicMs: () => number;
}

/** What providers can do here, found out in the background when it is first asked; a success holds until the process ends. */
export class ProviderReports {
  readonly #deps: ProviderReportsDeps;
  readonly #known = new Map<string, { readonly report: ProviderReport; readonly atMs: number }>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(deps: ProviderReportsDeps) {
    this.#deps = deps;
  }

  /** What is known now; undefined while the provider is tried for the first time. */
  current(name: string): ProviderReport | undefined {
    const provider = this.#deps.providers.get(name);
    if (provider === undefined)
      return { isAvailable: false, message: `this server has no sandbox provider ${name}: use local or demo` };
    const known = this.#known.get(name);
    const isOld = known !== undefined && !known.report.isAvailable && this.#deps.monotonicMs() - known.atMs >= AGAIN_MS;
    if (known === undefined || isOld) void this.probe(provider);
    return known?.report;
  }

  /** Tries the provider; one trial at a time. */
  probe(provider: SandboxProvider): Promise<void> {
    const { name } = provider;
    const running = this.#running.get(name) ?? this.#try(provider).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  async #try(provider: SandboxProvider): Promise<void> {
    const report = await provider.probe().catch((error: unknown): ProviderReport => {
      this.#deps.log.warn('a sandbox provider could not be tried', { provider: provider.name, reason: String(error) });
      return { isAvailable: false, message: 'the trial of the provider failed; the log of the server says why' };
    });
    this.#known.set(provider.name, { report, atMs: this.#deps.monotonicMs() });
  }
}
