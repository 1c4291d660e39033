import type { JsonMap } from '../../../../resources/index.ts';
import type { SandboxProvider, SandboxProviderKind } from '../../../../sandbox/contract.ts';
import { StoppableProvider } from './stoppable-provider.ts';

/** What a class says: a provider by its name, and what it configures for it. */
export interface ProviderChoice {
  readonly provider: string;
  readonly config: JsonMap;
  /** As they are written: values may be references. */
  readonly credentials: JsonMap;
  /** Namespace of the class. */
  readonly namespace: string;
}

interface ProviderPoolDeps {
  /** Providers of which there is one, whatever a class configures. */
  readonly providers: readonly SandboxProvider[];
  /** Providers of which each class may mean another. */
  readonly providerKinds: readonly SandboxProviderKind[];
  /** Those that may be used, by name; undefined = all. */
  readonly chosen: Readonly<Record<string, unknown>> | undefined;
}

/** The providers of this process, each opened when a class first means it, and then the same for all classes that mean the same. */
export class ProviderPool {
  readonly #kinds: ReadonlyMap<string, SandboxProviderKind>;
  readonly #single: ReadonlyMap<string, SandboxProvider>;
  readonly #opened = new Map<string, StoppableProvider>();

  constructor({ providers, providerKinds, chosen }: ProviderPoolDeps) {
    const isChosen = ({ name }: { readonly name: string }): boolean =>
      chosen === undefined || Object.hasOwn(chosen, name);
    const named = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> =>
      new Map(list.filter(isChosen).map((one) => [one.name, one]));
    this.#single = named(providers);
    this.#kinds = named(providerKinds);
    // What these made before the start may have to be removed though no class means them any more.
    for (const { name } of this.#single.values())
      this.find({ provider: name, config: {}, credentials: {}, namespace: '' });
  }

  /** Names of the providers that may be used. */
  get names(): readonly string[] {
    return [...this.#single.keys(), ...this.#kinds.keys()];
  }

  /** The provider that a class means; undefined when this server does not have it. */
  find({ provider: name, config, ...access }: ProviderChoice): StoppableProvider | undefined {
    const single = this.#single.get(name);
    const kind = this.#kinds.get(name);
    const key = JSON.stringify([name, kind?.identity(config, access)]);
    const known = this.#opened.get(key);
    const made = known === undefined ? (single ?? kind?.open(config, access)) : undefined;
    if (made === undefined) return known;
    const provider = new StoppableProvider(made);
    this.#opened.set(key, provider);
    return provider;
  }

  /** Every provider that was used since the start. */
  opened(): readonly StoppableProvider[] {
    return [...this.#opened.values()];
  }

  async close(): Promise<void> {
    await Promise.all(this.opened().map((provider) => provider.close()));
  }
}
