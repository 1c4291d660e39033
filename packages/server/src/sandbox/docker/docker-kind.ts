import type { ProviderSettings, SandboxProvider, SandboxProviderKind, SettingProblem } from '../contract.ts';
import { DockerProvider, type DockerProviderDeps } from './docker-provider.ts';
import { dockerProblems, dockerSettings } from './docker-settings-rules.ts';

export interface DockerKindDeps extends Omit<DockerProviderDeps, 'settings'> {
  /** Sockets of the engines that classes may name; the first is that of a class that names none. */
  readonly sockets: readonly string[];
}

/** Sandboxes of Docker engines on this machine. */
export class DockerKind implements SandboxProviderKind {
  readonly name = 'docker';
  readonly #deps: DockerKindDeps;

  constructor(deps: DockerKindDeps) {
    this.#deps = deps;
  }

  problems(config: Readonly<Record<string, unknown>>): readonly SettingProblem[] {
    return dockerProblems(config, this.#deps.sockets);
  }

  open({ config }: ProviderSettings): SandboxProvider {
    return new DockerProvider({ ...this.#deps, settings: dockerSettings(config, this.#deps.sockets) });
  }
}
