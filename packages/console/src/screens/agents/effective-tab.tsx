import { type JsonValue, toJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import type { AgentSpec, Resource } from '@svc/api/resources';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { badConditions, conditionsOf } from '../resources/index.ts';
import styles from './agents.module.css';
import { type AgentName, useOffered } from './agents-data.ts';
import { grantsOf } from './form/index.ts';
import { missingNames } from './missing-names.ts';
import { texts } from './texts.ts';
import { AgentTools } from './tools/index.ts';

interface EffectiveTabProps extends AgentName {
  readonly agent: Resource;
  readonly spec: AgentSpec;
}

/** What the agent asks for and may do, what of it is missing and why, and the tools that the model was offered. */
export const EffectiveTab = ({ agent, spec, ns, name }: EffectiveTabProps): ReactElement => {
  const faults = badConditions(agent).filter(({ type }) => type !== 'Ready');
  const sessionId = agent.status?.kind.case === 'agent' ? (agent.status.kind.value.lastSessionId ?? '') : '';
  const missing = missingNames(conditionsOf(agent));
  return (
    <div className={styles.stack}>
      <Section title={texts.faults}>
        <Lines none={texts.noFaults}>
          {faults.map(({ type, reason, message }) => (
            <li key={type}>
              <Badge tone="bad">{type}</Badge> {[reason, message].filter(Boolean).join(': ')}
            </li>
          ))}
        </Lines>
      </Section>
      <Section title={texts.features}>
        <Lines none={texts.noFeatures}>
          {spec.features.map(({ name: feature, type, required }) => (
            <Need
              key={feature}
              name={`${type || 'toolset'} ${feature}`}
              note={required ? texts.required : ''}
              isMissing={missing.has(feature)}
            />
          ))}
        </Lines>
      </Section>
      <Section title={texts.mcpServers}>
        <Lines none={texts.noMcpServers}>
          {spec.mcpServerRefs.map((server) => (
            <Need key={server} name={server} note="" isMissing={missing.has(server)} />
          ))}
        </Lines>
      </Section>
      <Grants spec={spec} missing={missing} />
      <AgentTools ns={ns} name={name} />
      <Offered ns={ns} name={name} sessionId={sessionId} />
    </div>
  );
};

interface LinesProps {
  /** What is said where there is no line. */
  readonly none: string;
  readonly children: readonly ReactElement[];
}

const Lines = ({ none, children }: LinesProps): ReactElement =>
  children.length === 0 ? <p className={styles.soft}>{none}</p> : <ul className={styles.list}>{children}</ul>;

interface NeedProps {
  readonly name: string;
  readonly note: string;
  readonly isMissing: boolean;
}

const Need = ({ name, note, isMissing }: NeedProps): ReactElement => (
  <li>
    <Badge tone={isMissing ? 'bad' : 'good'}>{isMissing ? texts.missing : texts.there}</Badge> {name}{' '}
    <span className={styles.soft}>{note}</span>
  </li>
);

const Grants = ({
  spec,
  missing,
}: {
  readonly spec: AgentSpec;
  readonly missing: ReadonlySet<string>;
}): ReactElement => {
  const grants = grantsOf(plainCapabilities(spec));
  return (
    <Section title={texts.grants}>
      <p className={styles.soft}>{grants.length === 0 ? texts.noGrants : texts.grantsLead}</p>
      {grants.length > 0 && (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th>{texts.capability}</th>
                <th>{texts.action}</th>
                <th>{texts.approval}</th>
                <th>{texts.where}</th>
              </tr>
            </thead>
            <tbody>
              {grants.map(({ capability, action, approval, namespaces }) => (
                <tr key={`${capability} ${action}`}>
                  <td>
                    {capability} {missing.has(capability) && <Badge tone="bad">{texts.missing}</Badge>}
                  </td>
                  <td>{action}</td>
                  <td>{approval in texts.approvals ? texts.approvals[approval as 'allow'] : approval}</td>
                  <td>{namespaces.length === 0 ? texts.anyWhere : namespaces.join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
};

/** Capabilities as plain JSON. */
const plainCapabilities = ({ capabilities }: AgentSpec): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(Object.entries(capabilities).map(([name, list]) => [name, toJson(ListValueSchema, list)]));

const Offered = ({ sessionId, ...agent }: AgentName & { readonly sessionId: string }): ReactElement => {
  const found = useOffered(agent, sessionId);
  const { state, at = 0n, tools = [] } = found.data ?? {};
  return (
    <Section title={texts.offered}>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {state === 'never' && <p className={styles.soft}>{texts.neverCalled}</p>}
      {state === 'lost' && <p className={styles.soft}>{texts.notKept}</p>}
      {state === 'known' && (
        <p className={styles.soft}>
          {texts.offeredBefore} <Time at={at} />. {texts.offeredAfter}
        </p>
      )}
      {tools.length > 0 && (
        <ul className={styles.tools}>
          {tools.map(({ name, description, tokens }) => (
            <li key={name}>
              <code>{name}</code>
              <span>{description}</span>
              <span className={styles.soft}>{texts.tokensOf(String(tokens))}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};
