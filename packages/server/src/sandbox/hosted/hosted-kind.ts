import { type Clock, Fault, type Ids, type Log } from '../../base/index.ts';
import type {
  ProviderAccess,
  ProviderConfig,
  SandboxPlan,
  SandboxProvider,
  SandboxProviderKind,
  SettingProblem,
} from '../contract.ts';
import type { InstanceName } from '../instance-name.ts';
import type { HostedService, ServiceDeps } from './contract.ts';
import { DaytonaService } from './daytona-service.ts';
import { E2bService } from './e2b-service.ts';
import { HostedProvider } from './hosted-provider.ts';
import {
  credentialProblems,
  DAYTONA_RULES,
  E2B_RULES,
  environmentName,
  hostedProblems,
  hostedSettings,
  type OfferedService,
  planProblem,
  type ServiceRules,
} from './hosted-settings-rules.ts';

export interface HostedKindDeps {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly instance: Pick<InstanceName, 'get'>;
  readonly holder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The value of a `secret://` reference of a namespace; Fault when there is none. */
  readonly secret: (namespace: string, reference: string) => Promise<string>;
  readonly offered: OfferedService;
}

interface HostedKindOf {
  readonly rules: ServiceRules;
  readonly service: (deps: ServiceDeps) => HostedService;
}

const E2B: HostedKindOf = { rules: E2B_RULES, service: (deps) => new E2bService(deps) };
const DAYTONA: HostedKindOf = { rules: DAYTONA_RULES, service: (deps) => new DaytonaService(deps) };

/** Sandboxes at a hosted service. */
export class HostedKind implements SandboxProviderKind {
  readonly #of: HostedKindOf;
  readonly #deps: HostedKindDeps;

  private constructor(of: HostedKindOf, deps: HostedKindDeps) {
    this.#of = of;
    this.#deps = deps;
  }

  static e2b(deps: HostedKindDeps): HostedKind {
    return new HostedKind(E2B, deps);
  }

  static daytona(deps: HostedKindDeps): HostedKind {
    return new HostedKind(DAYTONA, deps);
  }

  get name(): string {
    return this.#of.rules.name;
  }

  problems(config: ProviderConfig): readonly SettingProblem[] {
    return hostedProblems(this.#of.rules, config, this.#deps.offered);
  }

  credentialProblems(credentials: ProviderConfig): readonly SettingProblem[] {
    return credentialProblems(credentials, { name: this.#of.rules.name, env: this.#deps.offered.env });
  }

  planProblem(plan: SandboxPlan): string {
    return planProblem(plan);
  }

  identity(config: ProviderConfig, { namespace, credentials }: ProviderAccess): string {
    const settings = hostedSettings(this.#of.rules, config, this.#deps.offered);
    return JSON.stringify([settings, namespace, credentials['apiKey']]);
  }

  open(config: ProviderConfig, access: ProviderAccess): SandboxProvider {
    const { rules, service } = this.#of;
    const { clock, log, ids, holder, offered } = this.#deps;
    const instance = this.#deps.instance.get();
    const settings = hostedSettings(rules, config, offered);
    const apiKey = (): Promise<string> => this.#key(access);
    return new HostedProvider({
      name: rules.name,
      service: service({ clock, settings, instance, holder, apiKey }),
      clock,
      log,
      ids,
      instance,
      holder,
      planProblem,
      note: rules.note,
    });
  }

  /** Read again for each use, so that a new value counts at once. */
  async #key({ namespace, credentials }: ProviderAccess): Promise<string> {
    const { environment, secret } = this.#deps;
    const value = credentials['apiKey'];
    if (typeof value !== 'string' || value === '')
      throw missing('the sandbox class has no credentials.apiKey: give it a key, secret://name/key or env:NAME');
    if (value.startsWith('secret://')) return secret(namespace, value);
    const variable = environmentName(value);
    if (variable === undefined) return value;
    const isOffered = this.credentialProblems(credentials).length === 0;
    const found = isOffered ? (environment[variable] ?? '') : '';
    if (found === '') throw missing(`the server has no variable ${variable} with a key: set it and restart the server`);
    return found;
  }
}

const missing = (message: string): Fault => new Fault('FAILED_PRECONDITION', 'SANDBOX_CREDENTIALS', message);
