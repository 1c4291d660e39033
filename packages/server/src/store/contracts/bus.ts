/** Hints and live events. Losing a message costs latency, never data. Delivery order per subject is kept. */
export interface Bus {
  publish(subject: string, message: unknown): void;
  /** In process the same object is delivered synchronously; over a network it is encoded. Returns the unsubscribe. */
  subscribe(subject: string, receive: (message: unknown) => void): () => void;
  /** Called after messages of this subject may have been lost (reconnect). */
  onGap(subject: string, notify: () => void): () => void;
  close(): Promise<void>;
}

/** Subject of hints that resources have changed, whoever wrote them; the message is not looked at. */
export const RESOURCES_CHANGED = 'resources.changed';
