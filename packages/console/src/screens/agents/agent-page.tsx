import type { AgentSpec, Resource } from '@svc/api/resources';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { ResourceEditor } from '../resources/editor/index.ts';
import { DeleteResource, phaseOf, toneOfPhase, useResource, yamlOf } from '../resources/index.ts';
import styles from './agents.module.css';
import { EffectiveTab } from './effective-tab.tsx';
import { AgentForm } from './form/index.ts';
import { OverviewTab } from './overview-tab.tsx';
import { TemplateTab } from './template-tab.tsx';
import { TestTurn } from './test-turn.tsx';
import { texts } from './texts.ts';

const TABS = ['overview', 'form', 'yaml', 'effective', 'template'] as const;
type Tab = (typeof TABS)[number];

/** One agent: how it does, what it is made of, what it may do, and a conversation to try it with. */
export const AgentPage = (): ReactElement => {
  const { ns = '', name = '' } = useParams({ strict: false });
  const { tab, test } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useResource({ kind: 'Agent', ns, name, parent: '' });
  const mayTest = useCan()('operator', { ns, agent: name });
  const shown = TABS.find((known) => known === tab) ?? 'overview';
  const show = (search: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) });
  const isTesting = test === 'open' && mayTest;
  const flipTest = (): void => show({ test: isTesting ? undefined : 'open' });
  useKey({ keys: 't', does: isTesting ? texts.closeTest : texts.testTurn, run: flipTest }, mayTest);
  const agent = found.data;
  // Another agent is another page: its test conversation and what was chosen are its own.
  const own = `${ns}/${name}`;
  const phase = agent === undefined ? '' : phaseOf(agent);
  return (
    <Page
      title={name}
      isFilled={shown === 'form' || shown === 'yaml' || isTesting}
      above={
        <Link to="/ns/$ns/agents" params={{ ns }}>
          {texts.title}
        </Link>
      }
      badge={phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
      actions={
        agent && (
          <>
            {mayTest && (
              <Button icon="chat" shortcut="t" onClick={flipTest}>
                {isTesting ? texts.closeTest : texts.testTurn}
              </Button>
            )}
            <DeleteResource
              key={own}
              address={{ kind: 'Agent', ns, name, parent: '' }}
              resource={agent}
              onDeleted={() => void navigate({ to: '/ns/$ns/agents', params: { ns } })}
            />
            <CopyMenu
              command={`svc describe agent ${name} -n ${ns}`}
              path={`/v1/ns/${encodeURIComponent(ns)}/agents/${encodeURIComponent(name)}`}
              yaml={() => yamlOf(agent)}
            />
          </>
        )
      }
      filters={
        <Segments
          label={texts.tabs}
          value={shown}
          options={TABS.map((value) => ({ value, label: texts.tab[value] }))}
          onChange={(next) => show({ tab: next })}
        />
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {agent && (
        <div className={isTesting ? styles.withTest : styles.alone}>
          <div className={styles.main}>
            <Content tab={shown} agent={agent} ns={ns} name={name} />
          </div>
          {isTesting && <TestTurn key={own} ns={ns} agent={name} />}
        </div>
      )}
    </Page>
  );
};

interface ContentProps {
  readonly tab: Tab;
  readonly agent: Resource;
  readonly ns: string;
  readonly name: string;
}

const Content = ({ tab, agent, ns, name }: ContentProps): ReactElement | null => {
  const spec = agentSpec(agent);
  if (spec === undefined) return null;
  if (tab === 'overview') return <OverviewTab agent={agent} ns={ns} name={name} />;
  if (tab === 'effective') return <EffectiveTab agent={agent} spec={spec} ns={ns} name={name} />;
  if (tab === 'template') return <TemplateTab key={`${ns}/${name}`} agent={agent} spec={spec} ns={ns} name={name} />;
  return (
    <ResourceEditor
      key={`${ns} ${name}`}
      address={{ kind: 'Agent', ns, name, parent: '' }}
      resource={agent}
      // Form and text are two views of one draft: going from one to the other keeps it.
      form={tab === 'form' ? (draft) => <AgentForm {...draft} /> : undefined}
      onSaved={() => notify(texts.saved(name))}
    />
  );
};

const agentSpec = ({ spec }: Resource): AgentSpec | undefined =>
  spec?.kind.case === 'agent' ? spec.kind.value : undefined;
