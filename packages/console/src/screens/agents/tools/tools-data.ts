import type { ListAgentToolsResponse, TryToolResponse } from '@svc/api/gateway';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useRead, useWrite } from '../../../api/use-call.ts';
import type { AgentName } from '../agents-data.ts';

/** Seconds that a try waits for the tool. */
const WAIT_SECONDS = 60;

/** Kinds that change which tools an agent has. */
const SHOWS = { kinds: ['Agent', 'McpServer', 'McpServerBinding', 'Knowledge', 'Skill'], topics: ['mcp grants'] };

/** Tools that a turn of the agent would be offered now, begun by this person, and what it would lack. */
export const useAgentTools = ({ ns, name }: AgentName): UseQueryResult<ListAgentToolsResponse> =>
  useRead({
    key: ['ListAgentTools', ns, name],
    call: (client, signal) => client.tools.listAgentTools({ ns, agent: name }, { signal }),
    shows: SHOWS,
    keepsFormer: false,
  });

interface Try {
  readonly argumentsJson: string;
  /** The person allows a call that needs it. */
  readonly confirm: boolean;
}

/** Calls one tool of the agent. */
export const useTry = ({ ns, name }: AgentName, tool: string): UseMutationResult<TryToolResponse, Error, Try> =>
  useWrite<Try, TryToolResponse>((client, call) =>
    client.tools.tryTool({ ns, agent: name, tool, waitSeconds: WAIT_SECONDS, ...call }),
  );
