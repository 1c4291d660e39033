import type { Clock } from '../../base/index.ts';
import type { SandboxNetwork, SandboxPlan } from '../contract.ts';

/** What a hosted service does for sandboxes, behind plain types. Each failure is a Fault UNAVAILABLE: SANDBOX_LOST for a sandbox that is gone, else SANDBOX_PROVIDER. */

/** Takes text of a program that runs; what it answers may hold the program up. */
export type TakeText = (stream: 'stdout' | 'stderr', text: string) => void | Promise<void>;

/** A program that runs in a hosted sandbox, with text going both ways. */
export interface RemoteProgram {
  /** Resolves once it ended and its output was taken; rejects when the connection to it broke. */
  readonly over: Promise<void>;
  /** Sends text to its standard input; resolves once it is on its way. */
  send(text: string): Promise<void>;
  /** Gives it up: ends what the service can end of it. */
  kill(): Promise<void>;
}

/** A sandbox that is awake. */
export interface HostedSandbox {
  /** Runs a shell command line. */
  run(commandLine: string, take: TakeText): Promise<RemoteProgram>;
  /** From now on its processes reach this and nothing else. */
  limitTo(network: SandboxNetwork): Promise<void>;
  /** Keeps it awake for a while longer. */
  extend(): Promise<void>;
}

/** The sandboxes and volumes that one instance of svc has at a service. Keeps no state that a restart would lose. */
export interface HostedService {
  /** Finds out whether the service answers and takes the credentials. */
  probe(): Promise<void>;
  /** Makes the sandbox of a plan, and its volume where there is none. */
  create(plan: SandboxPlan): Promise<HostedSandbox>;
  /** Wakes a sandbox by the id of its plan and keeps it awake for a while; undefined where there is none. */
  open(id: string): Promise<HostedSandbox | undefined>;
  /** Removes every sandbox with the id. */
  remove(id: string): Promise<void>;
  removeVolume(volume: string): Promise<void>;
  list(): Promise<{ readonly backends: readonly string[]; readonly volumes: readonly string[] }>;
}

/** How long a service lets a sandbox run that svc does not use; a process of svc that dies leaves it running as long. */
export const LIFE_MS = 900_000;

/** Where a service is, and what sandboxes are made of when their template names nothing else. */
export interface ServiceSettings {
  /** Address of the API, or a domain below which it is. */
  readonly url: string;
  /** Template of E2B, or snapshot of Daytona; '' = the service's own. */
  readonly template: string;
  /** Image of Daytona; '' = the snapshot. */
  readonly image: string;
  /** Region of Daytona; '' = the account's own. */
  readonly target: string;
}

export interface ServiceDeps {
  readonly clock: Pick<Clock, 'after'>;
  readonly settings: ServiceSettings;
  /** Marks what this instance of svc made: others may use the same account. */
  readonly instance: string;
  /** Marks what this process runs. */
  readonly holder: string;
  /** The key as it is now; Fault when there is none. */
  readonly apiKey: () => Promise<string>;
}
