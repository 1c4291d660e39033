import type { AgentTool, MissingTool } from '@svc/api/gateway';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../../access/access-context.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyMenu } from '../../../ui/copy-menu.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import type { AgentName } from '../agents-data.ts';
import { texts } from '../texts.ts';
import styles from './tools.module.css';
import { useAgentTools } from './tools-data.ts';
import { TryTool } from './try-tool.tsx';

/** What the agent would be offered now, each tool with a try in its place, and what it lacks. */
export const AgentTools = (agent: AgentName): ReactElement => {
  const { ns, name } = agent;
  const found = useAgentTools(agent);
  const { tool: open = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayTry = useCan()('operator', { ns, agent: name });
  const show = (tool: string): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, tool: tool === open ? undefined : tool }) });
  const { tools = [], missing = [] } = found.data ?? {};
  return (
    <>
      <Section
        title={texts.toolsNow}
        actions={<CopyMenu command={`svc agent tools ${name} -n ${ns}`} path={`/v1/ns/${ns}/agents/${name}/tools`} />}
      >
        <p className={styles.soft}>{texts.toolsNowLead}</p>
        {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
        {found.isPending && <Loading />}
        <ul className={styles.tools}>
          {tools.map((tool) => (
            <li key={tool.name}>
              <ToolLine tool={tool} isOpen={tool.name === open} onTry={mayTry ? show : undefined} />
              {mayTry && tool.name === open && !tool.needsTurn && <TryTool agent={agent} tool={tool} />}
            </li>
          ))}
        </ul>
      </Section>
      {missing.length > 0 && (
        <Section title={texts.toolsMissing}>
          <MissingTools missing={missing} />
        </Section>
      )}
    </>
  );
};

interface ToolLineProps {
  readonly tool: AgentTool;
  readonly isOpen: boolean;
  /** Absent for those who may not try tools. */
  readonly onTry: ((tool: string) => void) | undefined;
}

/** A tool with what a call of it does, and the button to try it. */
export const ToolLine = ({ tool, isOpen, onTry }: ToolLineProps): ReactElement => (
  <div className={styles.line}>
    <div className={styles.what}>
      <code>{tool.name}</code>{' '}
      <span className={styles.soft}>
        {[texts.effects[tool.effect], tool.approval === 'ask' && texts.asks, tool.capability]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <p className={styles.described}>{tool.description}</p>
    </div>
    {onTry && (
      <Button disabled={tool.needsTurn} disabledReason={texts.needsTurn} onClick={() => onTry(tool.name)}>
        {isOpen ? texts.closeTry : texts.tryIt} <span className="visually-hidden">{tool.name}</span>
      </Button>
    )}
  </div>
);

/** What the agent lacks, servers first: a server that does not answer is a fault, a tool that nothing grants is not. */
export const MissingTools = ({ missing }: { readonly missing: readonly MissingTool[] }): ReactElement => {
  const servers = missing.filter(({ kind }) => kind === 'mcp_server');
  const tools = missing.filter(({ kind }) => kind !== 'mcp_server');
  return (
    <>
      <ul className={styles.list}>
        {servers.map(({ name, reason, message }) => (
          <li key={name}>
            <Badge tone="bad">{reason}</Badge> {texts.mcpServer} <code>{name}</code>: {message}
          </li>
        ))}
      </ul>
      {tools.length > 0 && (
        <details>
          <summary>{texts.otherTools(tools.length)}</summary>
          <ul className={styles.list}>
            {tools.map(({ name, reason, message }) => (
              <li key={name}>
                <Badge tone="calm">{reason}</Badge> <code>{name}</code>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
};
