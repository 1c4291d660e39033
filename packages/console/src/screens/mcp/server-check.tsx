import type { CheckMcpServerResponse, McpServerTool } from '@svc/api/gateway';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView, parsedOrText } from '../../ui/json-view.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './mcp.module.css';
import { useCheck } from './mcp-data.ts';
import { texts } from './texts.ts';

/** Whether the server answers now, and its tools as it lists them. */
export const ServerCheck = ({ ns, server }: { readonly ns: string; readonly server: string }): ReactElement => {
  const check = useCheck(ns, server);
  const mayCheck = useCan()('operator', { ns });
  useKey({ keys: 't', does: texts.check, run: () => check.mutate() }, mayCheck && !check.isPending);
  return (
    <Section
      title={texts.connection}
      actions={
        <div className={styles.actions}>
          {mayCheck && (
            <Button shortcut="t" isBusy={check.isPending} onClick={() => check.mutate()}>
              {texts.check}
            </Button>
          )}
          <CopyMenu command={`svc mcp check ${server} -n ${ns}`} path={`/v1/ns/${ns}/mcp-servers/${server}:check`} />
        </div>
      }
    >
      {check.error && <Problem error={check.error} />}
      <div aria-live="polite">
        {check.data === undefined ? (
          <p className={styles.soft}>{texts.checkLead}</p>
        ) : (
          <CheckAnswer answer={check.data} />
        )}
      </div>
    </Section>
  );
};

/** What a test of the connection found. */
export const CheckAnswer = ({ answer }: { readonly answer: CheckMcpServerResponse }): ReactElement => {
  const { reachable, reason, message, serverName, serverVersion, protocol, tookMs, missingTools } = answer;
  if (!reachable)
    return (
      <p>
        <Badge tone="bad">{reason}</Badge> {message}
        {reason === 'SignInNeeded' && ` ${texts.signInFirst}`}
      </p>
    );
  return (
    <div className={styles.list}>
      <p>
        <Badge tone="good">{reason}</Badge> {texts.answeredIn(String(tookMs))}
      </p>
      <Facts
        rows={[
          [texts.server, `${serverName} ${serverVersion}`.trim()],
          [texts.protocol, protocol],
          [texts.notThere, missingTools.join(', ')],
        ]}
      />
      <Tools {...answer} />
    </div>
  );
};

const Tools = ({ tools, toolCount }: Pick<CheckMcpServerResponse, 'tools' | 'toolCount'>): ReactElement => (
  <>
    <h3>{texts.toolsOf(toolCount)}</h3>
    {toolCount > tools.length && <p className={styles.soft}>{texts.notShown(toolCount - tools.length)}</p>}
    <ul className={styles.list}>
      {tools.map((tool) => (
        <li key={tool.name}>
          <ListedTool tool={tool} />
        </li>
      ))}
    </ul>
  </>
);

const ListedTool = ({ tool }: { readonly tool: McpServerTool }): ReactElement => (
  <details className={styles.tool}>
    <summary>
      <code>{tool.name}</code>{' '}
      <Badge tone={tool.allowed ? 'good' : 'calm'}>{tool.allowed ? texts.allowed : texts.notAllowed}</Badge>{' '}
      <span className={styles.soft}>{tool.title}</span>
    </summary>
    <p className={styles.described}>{tool.description || texts.noDescription}</p>
    <Facts
      rows={[
        [texts.agentName, tool.agentName],
        [texts.says, hintsOf(tool).join(', ')],
      ]}
    />
    <JsonView value={parsedOrText(tool.inputSchemaJson)} />
  </details>
);

/** What the server says of calls of a tool. */
const hintsOf = ({ readOnly, destructive, idempotent, openWorld }: McpServerTool): readonly string[] => [
  ...(readOnly ? [texts.readOnly] : []),
  ...(destructive === true ? [texts.destructive] : []),
  ...(idempotent === true ? [texts.idempotent] : []),
  ...(openWorld === true ? [texts.openWorld] : []),
];
