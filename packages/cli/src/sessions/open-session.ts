import type { Session } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext, type ScopeOptions } from '../context.ts';
import type { Host } from '../host.ts';
import { findSession } from '../kinds/index.ts';

export interface SessionOptions extends GlobalOptions, ScopeOptions {
  readonly after?: string;
  readonly untilDone?: boolean;
  readonly turn?: string;
  readonly stop?: boolean;
  readonly through?: string;
  /** `provider/model` that a fork runs with. */
  readonly model?: string;
  readonly temperature?: string;
  readonly systemPromptFile?: string;
  readonly option?: string;
  readonly comment?: string;
  readonly showReasoning?: boolean;
}

interface OpenedSession {
  readonly context: CommandContext;
  readonly session: Session;
}

/** Finds the session by id or canonical name; --agent avoids the search. */
export const openSession = async (host: Host, name: string, options: SessionOptions): Promise<OpenedSession> => {
  const context = await openContext(host, options);
  const key = await findSession(context.scope, name);
  return { context, session: context.client.session(key) };
};
