import type { Callbacks } from './callbacks.ts';
import type { ConnectorLog } from './contract.ts';
import type { Registration, Registrations } from './registrations.ts';

interface StatusDependencies {
  readonly registrations: Registrations;
  readonly callbacks: Callbacks;
  readonly log: ConnectorLog;
}

interface Report {
  readonly status: string;
  readonly reason: string;
}

/**
 * Tells every registration the state of the connection to the platform. Reports go out one after the other, so that an older one never
 * arrives last; a registration that a report did not reach gets it with the next one, also when nothing has changed.
 */
export class StatusReports {
  readonly #dependencies: StatusDependencies;
  /** The newest report that each registration has; a new secret makes a new registration. */
  readonly #reached = new WeakMap<Registration, Report>();
  #current: Report | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** One round waits behind the one that runs; more would say the same. */
  #isWaiting = false;

  constructor(dependencies: StatusDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reports to the registrations that do not have this state yet; best effort. */
  report(status: string, reason: string): void {
    const isSame = this.#current?.status === status && this.#current.reason === reason;
    if (!isSame) this.#current = { status, reason };
    this.repeat();
  }

  /** Brings the current state to the registrations that do not have it. */
  repeat(): void {
    if (this.#isWaiting || this.#missing().length === 0) return;
    this.#isWaiting = true;
    this.#sending = this.#sending.then(() => this.#sendCurrent());
  }

  /** Waits for the reports that are on their way. */
  async settle(): Promise<void> {
    await this.#sending;
  }

  #missing(): readonly Registration[] {
    const current = this.#current;
    if (current === undefined) return [];
    return this.#dependencies.registrations.all().filter((each) => this.#reached.get(each) !== current);
  }

  async #sendCurrent(): Promise<void> {
    this.#isWaiting = false;
    const report = this.#current;
    if (report === undefined) return;
    await Promise.all(this.#missing().map((registration) => this.#send(registration, report)));
  }

  async #send(registration: Registration, report: Report): Promise<void> {
    const { callbacks, log } = this.#dependencies;
    try {
      await callbacks.reportStatus(registration, report.status, report.reason);
      this.#reached.set(registration, report);
    } catch (error) {
      log.warn('the status was not reported', { registration: registration.id, error });
    }
  }
}
