import { toJson } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema, type Resource } from '@svc/api/resources';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { Button } from '../../ui/button.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { Checkbox, SelectField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { yamlText } from '../resources/index.ts';
import styles from './agents.module.css';
import { type AgentName, useAgentTemplates, useRebase } from './agents-data.ts';
import { rebasedSpec, templateSpec } from './rebase.ts';
import { texts } from './texts.ts';

interface TemplateTabProps extends AgentName {
  readonly agent: Resource;
  readonly spec: AgentSpec;
}

const TEMPLATE = 'svc/template';
const TEMPLATE_VERSION = 'svc/template-version';

/** The template of the agent, and what putting it on one again would change. */
export const TemplateTab = (props: TemplateTabProps): ReactElement => {
  const { agent } = props;
  const { [TEMPLATE]: made = '', [TEMPLATE_VERSION]: version = '' } = agent.metadata?.annotations ?? {};
  const templates = useAgentTemplates();
  const [chosen, setChosen] = useState(made);
  const found = templates.data?.find(({ metadata }) => metadata?.name === chosen);
  return (
    <div className={styles.stack}>
      <Section title={texts.template}>
        <p>{made === '' ? texts.noTemplate : texts.madeFrom(made, version)}</p>
        <p className={styles.soft}>{texts.templateLead}</p>
        {templates.error && <Problem error={templates.error} onRetry={() => void templates.refetch()} />}
        {templates.isPending && <Loading />}
        {templates.data?.length === 0 && <p className={styles.soft}>{texts.noTemplates}</p>}
        {templates.data && templates.data.length > 0 && (
          <SelectField
            label={texts.template}
            value={chosen}
            options={[
              { value: '', label: texts.choose },
              ...templates.data.map(({ metadata }) => ({ value: metadata?.name ?? '', label: metadata?.name ?? '' })),
            ]}
            onChange={setChosen}
          />
        )}
        {found && found.metadata?.name === made && String(found.metadata.generation) !== version && (
          <p>{texts.newest(String(found.metadata.generation))}</p>
        )}
      </Section>
      {found?.spec && <Rebase key={chosen} {...props} template={chosen} specJson={found.spec.specJson} />}
    </div>
  );
};

interface RebaseProps extends TemplateTabProps {
  readonly template: string;
  readonly specJson: string;
}

const Rebase = ({ agent, spec, ns, name, template, specJson }: RebaseProps): ReactElement => {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const rebase = useRebase(() => notify(texts.rebased(name, template)));
  const mayChange = useCan()('admin', { ns });
  const offered = templateSpec(specJson);
  const next = rebasedSpec(spec, offered, kept);
  const diff = useQuery({
    queryKey: ['rebase', agent.metadata?.resourceVersion, specJson, [...kept].sort()],
    queryFn: async () => ({
      before: await yamlText(toJson(AgentSpecSchema, spec), { isSorted: true }),
      after: await yamlText(toJson(AgentSpecSchema, next), { isSorted: true }),
    }),
    placeholderData: (before) => before,
  });
  const flip = (field: string, isKept: boolean): void => {
    const fields = new Set(kept);
    if (isKept) fields.add(field);
    else fields.delete(field);
    setKept(fields);
  };
  const resourceVersion = agent.metadata?.resourceVersion ?? '';
  return (
    <Section
      title={texts.rebaseDiff}
      actions={
        mayChange && (
          <Button
            kind="primary"
            isBusy={rebase.isPending}
            onClick={() => rebase.mutate({ agent: { ns, name }, template, resourceVersion, spec: next })}
          >
            {texts.rebase}
          </Button>
        )
      }
    >
      {rebase.error && <Problem error={rebase.error} />}
      <fieldset className={styles.checks}>
        <legend className={styles.soft}>{texts.keep}</legend>
        {Object.keys(offered).map((field) => (
          <Checkbox key={field} label={field} checked={kept.has(field)} onChange={(isKept) => flip(field, isKept)} />
        ))}
      </fieldset>
      {diff.data && diff.data.before === diff.data.after && <p className={styles.soft}>{texts.nothingChanges}</p>}
      {diff.data && diff.data.before !== diff.data.after && (
        <DiffView label={texts.rebaseDiff} before={diff.data.before} after={diff.data.after} language="yaml" />
      )}
    </Section>
  );
};
