/** Notifications and live events. Losing a message costs latency, never data. Delivery order per subject is kept. */
export interface Bus {
  publish(subject: string, message: unknown): void;
  /** In process the same object is delivered synchronously; over a network it is encoded. Returns the unsubscribe. */
  subscribe(subject: string, receive: (message: unknown) => void): () => void;
  /** Called after messages of this subject may have been lost (reconnect). */
  onGap(subject: string, notify: () => void): () => void;
  close(): Promise<void>;
}

/** Subject of notifications that resources have changed, by any writer; the message is ignored. */
export const RESOURCES_CHANGED = 'resources.changed';
