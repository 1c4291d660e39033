import type { ProviderConfig, SandboxProvider, SandboxProviderKind, SettingProblem } from '../contract.ts';
import type { InstanceName } from '../instance-name.ts';
import { DockerProvider, type DockerProviderDeps } from './docker-provider.ts';
import { dockerProblems, dockerSettings } from './docker-settings-rules.ts';

export interface DockerKindDeps extends Omit<DockerProviderDeps, 'settings' | 'instance'> {
  readonly instance: Pick<InstanceName, 'get'>;
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

  problems(config: ProviderConfig): readonly SettingProblem[] {
    return dockerProblems(config, this.#deps.sockets);
  }

  identity(config: ProviderConfig): string {
    const { socket, image, mayPull } = dockerSettings(config, this.#deps.sockets);
    return JSON.stringify([socket, image, mayPull]);
  }

  open(config: ProviderConfig): SandboxProvider {
    const { instance, sockets } = this.#deps;
    const settings = dockerSettings(config, sockets);
    return new DockerProvider({ ...this.#deps, instance: instance.get(), settings });
  }
}
