import type { ObjectData } from '../../../runtime/contract.ts';

/** JSON of ChannelMessageRow.body; absent members are empty. */
export interface MessageBody {
  readonly authorKind: string;
  readonly author: string;
  readonly content: string;
  readonly sourceAgent?: string;
  readonly sourceSessionId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly attachments?: readonly ObjectData[];
  /** Agents that answered each other up to this message, which an agent published; absent for a post. */
  readonly hops?: number;
  /** Written as an agent, and subscriptions were tried for it: counts against the rate of agents. */
  readonly isRoutedAgent?: boolean;
}
