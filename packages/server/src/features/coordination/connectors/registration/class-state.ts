import type { Finding } from '../../../../resources/index.ts';
import type { FailureReason } from './registration-rules.ts';

/** What a class is registered as. It registers again when one of these changes. */
export interface RegisteredAs {
  readonly generation: number;
  /** Where its service calls back. */
  readonly baseUrl: string;
  readonly clusterId: string;
  /** The annotation by which people ask for another registration. */
  readonly reregister: string;
  /** Keyed hash of the credential; '' for a class without one. */
  readonly credential: string;
}

/** What a connector service said of its connection to the platform. */
export interface ProviderReport {
  readonly status: string;
  readonly reason: string;
}

/** What a class keeps of its registration, where no client can write. */
export interface ClassState {
  /** The last successful registration, and when it was, by the clock of the store. */
  readonly registered?: RegisteredAs & { readonly at: number };
  /** What attempts are under way for; a change starts them again from the first. */
  readonly attempting?: RegisteredAs;
  /** Generation of the last attempt that ended; 0 before the first. */
  readonly generation: number;
  /** Why the last attempt failed; absent after a success. */
  readonly failure?: { readonly reason: FailureReason; readonly message: string };
  readonly report?: ProviderReport;
  /** Condition DeliveryHealthy, as the deliveries of the class found it. */
  readonly deliveries?: Omit<Finding, 'type'>;
}

type Annotations = Readonly<Record<string, string>>;

/** Private annotation of a class. */
const STATE = 'svc/~registration';

/** The state that a class keeps. */
export const classState = (annotations: Annotations = {}): ClassState => {
  const text = annotations[STATE];
  return text === undefined ? { generation: 0 } : (JSON.parse(text) as ClassState);
};

/** The annotation that keeps a state. */
export const stateAnnotation = (state: ClassState): Annotations => ({ [STATE]: JSON.stringify(state) });
