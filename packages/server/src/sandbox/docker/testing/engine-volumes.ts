import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError, type Labels } from './engine-requests.ts';

export interface EngineVolume {
  readonly Name: string;
  readonly Driver: string;
  readonly Mountpoint: string;
  readonly Labels: Labels;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() === true ? found.size : 0);
  }, 0);

/** The volumes of an engine under test: folders. */
export class EngineVolumes {
  readonly #root: string;
  readonly #volumes = new Map<string, EngineVolume>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes a volume, or answers the one that is there. */
  create(Name: string, Labels: Labels): EngineVolume {
    const Mountpoint = join(this.#root, Name);
    mkdirSync(Mountpoint, { recursive: true, mode: 0o755 });
    const made = this.#volumes.get(Name) ?? { Name, Driver: 'local', Mountpoint, Labels: Labels ?? {} };
    this.#volumes.set(Name, made);
    return made;
  }

  get(name: string): EngineVolume {
    const found = this.#volumes.get(name);
    if (found === undefined) throw new EngineError(404, `get ${name}: no such volume`);
    return found;
  }

  all(): readonly EngineVolume[] {
    return [...this.#volumes.values()];
  }

  usage(): readonly unknown[] {
    return this.all().map((one) => ({ ...one, UsageData: { Size: bytesIn(one.Mountpoint), RefCount: 0 } }));
  }

  remove(name: string, isForced: boolean): void {
    if (!this.#volumes.has(name) && !isForced) throw new EngineError(404, `get ${name}: no such volume`);
    this.#volumes.delete(name);
    rmSync(join(this.#root, name), { recursive: true, force: true });
  }
}
