/** What a sandbox is to the rest of the product: places where foreign code runs, and what a provider of them can do. */

/** The most that one sandbox may use. */
export interface SandboxLimits {
  /** Processors, also parts of one. */
  readonly cpu: number;
  readonly memoryBytes: number;
  readonly pids: number;
  /** All files of the sandbox together. */
  readonly diskBytes: number;
  /** Output of one command that is kept; the rest is dropped. */
  readonly outputBytes: number;
}

/** What processes reach: nothing, public or listed hosts through a proxy, or the network of the machine. */
export type SandboxNetwork =
  | { readonly mode: 'none' }
  | { readonly mode: 'hosts'; readonly hosts: readonly string[] }
  | { readonly mode: 'public' }
  | { readonly mode: 'host' };

/** What a backend is made of. Derived from stored resources, so that every process of the cluster derives the same. */
export interface SandboxPlan {
  /** Names the backend: the same id is the same backend. Letters, digits and `-`. */
  readonly id: string;
  /** Names a workspace that outlives the backend; '' = it goes with it. */
  readonly volume: string;
  /** Image of a container; providers without images ignore it. */
  readonly image: string;
  /** Where the workspace is; home of the processes. */
  readonly mountPath: string;
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
  readonly network: SandboxNetwork;
  readonly limits: SandboxLimits;
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  /** Absolute; '' = the mount path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  /** Output to keep instead of what the limits of the sandbox say. */
  readonly outputBytes?: number;
  /** Setup of the sandbox: it may write what is read-only later, and reaches this instead of the network of the plan. */
  readonly setup?: { readonly network: SandboxNetwork };
}

/** `exit`: by itself; `stopped`: by the caller's signal; `memory` and `disk`: it had used up a limit. */
export type SandboxEnd = 'exit' | 'timeout' | 'stopped' | 'memory' | 'disk';

export interface SandboxResult {
  /** 128 + number of the signal for a process that one ended. */
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Output was dropped. */
  readonly isCut: boolean;
  readonly endedBy: SandboxEnd;
}

/** A command that runs on, with bytes going both ways. */
export interface SandboxProcess {
  /** Standard output as it comes; what no one takes holds the process up. Ends with the process. To be read once. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Passes bytes to its standard input; resolves once more may follow. What comes after its end is dropped. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends its standard input. */
  closeInput(): void;
  /** Resolves once none of its processes is left. `stdout` is empty here; never rejects for what the command does. */
  readonly ended: Promise<SandboxResult>;
}

export interface SandboxEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly sizeBytes: number;
}

/** Whether a provider works on this machine, and how. */
export interface ProviderReport {
  readonly isAvailable: boolean;
  /** What works and how limits are enforced, or what is missing with the exact remedy. */
  readonly message: string;
}

/**
 * Runs sandboxes of one kind. Keeps no state that a restart would lose: backends are found again by their ids. Every function may
 * be called again after a crash. Failures of the provider itself are Faults UNAVAILABLE.
 */
export interface SandboxProvider {
  readonly name: string;
  /** Tries what works; remembers a success, tries again after a failure. */
  probe(): Promise<ProviderReport>;
  /** Makes the backend where there is none; answers whether it was there. */
  create(plan: SandboxPlan): Promise<'created' | 'present'>;
  /** Whether the backend is there. */
  exists(id: string): Promise<boolean>;
  /** Runs a command to its end; none of its processes survives. Never rejects for what the command does. */
  exec(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult>;
  /**
   * Starts a command that runs until it ends, its time is over, or the signal ends it and all of its processes; `stdin` and `setup` of
   * the command are not used. The caller takes `stdout` and aborts the signal when it needs the process no longer.
   */
  start(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxProcess>;
  /** Content of a file, at most `limitBytes`; Fault NOT_FOUND or FAILED_PRECONDITION TOO_LARGE. */
  readFile(plan: SandboxPlan, path: string, access: FileAccess): Promise<Uint8Array>;
  /** Makes or replaces a file and the folders above it. */
  writeFile(plan: SandboxPlan, path: string, access: FileAccess & { readonly bytes: Uint8Array }): Promise<void>;
  /** Entries of a folder by name, at most `limitEntries`. */
  listFiles(plan: SandboxPlan, path: string, access: FileAccess): Promise<readonly SandboxEntry[]>;
  /** Commands that install packages: `pip:x`, `npm:x`, or the name of one of the operating system. Run as setup. */
  installCommands(packages: readonly string[]): readonly (readonly string[])[];
  /** Ends its processes and removes it; nothing happens where there is none. */
  destroy(id: string): Promise<void>;
  destroyVolume(volume: string): Promise<void>;
  /** What this instance made on this machine. */
  list(): Promise<{ readonly backends: readonly string[]; readonly volumes: readonly string[] }>;
}

/** What is wrong with a setting of a class, by its name. */
export interface SettingProblem {
  readonly field: string;
  readonly problem: string;
}

/** What a class configures for its provider, as it is written. */
export type ProviderConfig = Readonly<Record<string, unknown>>;

/** With which rights a class uses its provider. */
export interface ProviderAccess {
  /** Namespace of the class, from which `secret://` references are resolved. */
  readonly namespace: string;
  /** As they are written: values may be references. */
  readonly credentials: ProviderConfig;
}

/** Makes providers of one name: each class may mean another engine. */
export interface SandboxProviderKind {
  readonly name: string;
  /** All faults of what a class configures for it; pure. */
  problems(config: ProviderConfig): readonly SettingProblem[];
  /** All faults of the credentials of a class; pure. Absent: it uses none. */
  credentialProblems?(credentials: ProviderConfig): readonly SettingProblem[];
  /** What of a plan it cannot keep, '' when it can keep all; pure. Absent: it keeps every plan. */
  planProblem?(plan: SandboxPlan): string;
  /** The same text for classes that mean the same provider; pure. */
  identity(config: ProviderConfig, access: ProviderAccess): string;
  /** The provider of a class; what is refused today counts as absent. */
  open(config: ProviderConfig, access: ProviderAccess): SandboxProvider;
}

export interface FileAccess {
  readonly signal: AbortSignal;
  readonly limitBytes?: number;
  readonly limitEntries?: number;
}

/** Hosts that setup may always reach: the sources of packages. */
export const PACKAGE_HOSTS: readonly string[] = [
  'registry.npmjs.org',
  'pypi.org',
  'files.pythonhosted.org',
  'deb.debian.org',
  'security.debian.org',
  'archive.ubuntu.com',
  'security.ubuntu.com',
  'dl-cdn.alpinelinux.org',
];
