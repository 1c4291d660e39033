import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';

const part = encodeURIComponent;

/** Where things of the API are in the page. */
export const addresses = {
  agent: (ns: string, name: string): string => `/ns/${part(ns)}/agents/${part(name)}`,
  sessions: (ns: string): string => `/ns/${part(ns)}/sessions`,
  session: (ns: string, agent: string, id: string): string =>
    `/ns/${part(ns)}/agents/${part(agent)}/sessions/${part(id)}`,
  /** A session from one of its messages on. */
  message: (ns: string, agent: string, of: { readonly sessionId: string; readonly messageId: string }): string =>
    `/ns/${part(ns)}/agents/${part(agent)}/sessions/${part(of.sessionId)}?message=${part(of.messageId)}`,
  channels: (ns: string): string => `/ns/${part(ns)}/channels`,
  channel: (ns: string, name: string): string => `/ns/${part(ns)}/channels/${part(name)}`,
  connectors: (ns: string): string => `/ns/${part(ns)}/connectors`,
  deliveries: (ns: string): string => `/ns/${part(ns)}/deliveries`,
  schedule: (ns: string, name: string): string => `/ns/${part(ns)}/schedules/${part(name)}`,
  task: (ns: string, name: string): string => `/ns/${part(ns)}/tasks/${part(name)}`,
  tasks: (ns: string): string => `/ns/${part(ns)}/tasks`,
  schedules: (ns: string): string => `/ns/${part(ns)}/schedules`,
  workflows: (ns: string): string => `/ns/${part(ns)}/workflows`,
  resource: (ns: string, kind: string, name: string): string => `/ns/${part(ns)}/resources/${part(kind)}/${part(name)}`,
  resources: (ns: string, kind: string): string => `/ns/${part(ns)}/resources/${part(kind)}`,
  newResource: (ns: string, kind: string): string => `/ns/${part(ns)}/new/${part(kind)}`,
  workflow: (ns: string, name: string): string => `/ns/${part(ns)}/workflows/${part(name)}`,
  run: (ns: string, workflow: string, id: string): string =>
    `/ns/${part(ns)}/workflows/${part(workflow)}/runs/${part(id)}`,
} as const;

interface GotoProps {
  /** One of `addresses`. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to a screen that belongs to another folder: it changes the page without loading it again. */
export const Goto = ({ to, children }: GotoProps): ReactElement => <Link to={to}>{children}</Link>;

/** A link to the trail of a record. */
export const TrailLink = ({
  ns,
  id,
  children,
}: {
  readonly ns: string;
  readonly id: string;
  readonly children: ReactNode;
}): ReactElement => (
  <Link to="/trail" search={{ ns, id }}>
    {children}
  </Link>
);
