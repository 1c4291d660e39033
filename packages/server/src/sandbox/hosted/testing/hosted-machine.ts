import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];
const JAILER = 'bwrap';
const ROUNDS = 100;

/**
 * The machine behind a hosted sandbox under test: a root of its own in a temporary folder, made by bubblewrap, in which real programs run side by side and see each
 * other, as on a virtual machine. What runs in it ends with it.
 */
export class HostedMachine {
  readonly #root = mkdtempSync(join(tmpdir(), 'svc-machine-'));
  readonly #mark = `SVC_MACHINE=${this.#root}.`;

  constructor() {
    for (const name of ['tmp', 'root']) mkdirSync(join(this.#root, name));
  }

  /** A program of the machine, with pipes. `mount`: folders outside that it sees, by their paths inside. */
  spawn(argv: readonly string[], mounts: ReadonlyMap<string, string> = new Map()): ChildProcess {
    const child = spawn(
      JAILER,
      [
        '--bind',
        this.#root,
        '/',
        ...SYSTEM.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
        '--bind',
        '/proc',
        '/proc',
        '--dev',
        '/dev',
        '--chdir',
        '/',
        ...[...mounts].flatMap(([target, source]) => ['--bind', source, target]),
        '--',
        ...argv,
      ],
      { env: { PATH: process.env['PATH'] ?? '', HOME: '/root', SVC_MACHINE: `${this.#root}.` }, stdio: 'pipe' },
    );
    child.stdin.on('error', () => undefined);
    return child;
  }

  /** Ids of the processes that run in it. */
  processes(): readonly string[] {
    return readdirSync('/proc').filter((id) => /^\d+$/.test(id) && environmentOf(id).includes(this.#mark));
  }

  close(): void {
    for (let round = 0; round < ROUNDS; round++) {
      const left = this.processes();
      if (left.length === 0) break;
      for (const id of left) end(Number(id));
    }
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** What a process has as its environment; '' when it is gone. */
const environmentOf = (id: string): string => {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8');
  } catch {
    return '';
  }
};

const end = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
};

/** Folders of volumes, by their ids. */
export class HostedVolumes {
  readonly #named = new Map<string, { readonly id: string; readonly name: string; readonly folder: string }>();
  #made = 0;

  all(): readonly { readonly id: string; readonly name: string; readonly folder: string }[] {
    return [...this.#named.values()];
  }

  create(name: string): { readonly id: string; readonly name: string; readonly folder: string } {
    const volume = { id: `vol-${++this.#made}`, name, folder: mkdtempSync(join(tmpdir(), 'svc-volume-')) };
    this.#named.set(volume.id, volume);
    return volume;
  }

  remove(id: string): boolean {
    const found = this.#named.get(id);
    if (found !== undefined) rmSync(found.folder, { recursive: true });
    return this.#named.delete(id);
  }

  close(): void {
    for (const { id } of this.all()) this.remove(id);
  }
}
