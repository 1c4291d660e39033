import type { Resource } from '@svc/api/resources';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import {
  addressOfResource,
  commandOf,
  conditionsOf,
  DeleteResource,
  isBadCondition,
  pathOf,
  phaseOf,
  ResourceLink,
  toneOfPhase,
  useEveryResource,
  yamlOf,
} from '../resources/index.ts';
import styles from './mcp.module.css';
import { mcpSpec, takesSignIn, useAllowlist } from './mcp-data.ts';
import { savedOver } from './saved-over.ts';
import { ServerCheck } from './server-check.tsx';
import { SignIns } from './sign-ins.tsx';
import { texts } from './texts.ts';

/** One server or binding: how it is reached, how it is, and which of its tools are allowed. */
export const McpDetails = ({
  resource,
  onGone,
}: {
  readonly resource: Resource;
  readonly onGone: () => void;
}): ReactElement | null => {
  const address = addressOfResource(resource);
  const spec = mcpSpec(resource);
  const phase = phaseOf(resource);
  if (spec === undefined) return null;
  return (
    <>
      <div className={styles.bar}>
        <h2>{address.name}</h2>
        <div className={styles.actions}>
          {phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
          <ResourceLink address={address}>{texts.edit}</ResourceLink>
          <DeleteResource address={address} resource={resource} onDeleted={onGone} />
          <CopyMenu command={commandOf(address)} path={pathOf(address)} yaml={() => yamlOf(resource)} />
        </div>
      </div>
      <Facts
        rows={[
          [texts.transport, 'transport' in spec ? spec.transport : undefined],
          [texts.target, 'target' in spec ? spec.target : undefined],
          [texts.leadsTo, 'serverRef' in spec ? spec.serverRef || address.name : undefined],
          [texts.args, spec.args.join(' ')],
          [texts.headers, Object.keys(spec.headers).join(', ')],
          [texts.broker, spec.authBroker?.url],
          [texts.disabled, spec.disabled ? texts.yes : undefined],
        ]}
      />
      <Conditions resource={resource} />
      <ServerCheck ns={address.ns} server={address.name} />
      <Allowlist resource={resource} />
      {takesSignIn(resource) && <SignIns ns={address.ns} server={address.name} />}
      <Uses ns={address.ns} name={address.name} />
    </>
  );
};

const Conditions = ({ resource }: { readonly resource: Resource }): ReactElement | null => {
  const conditions = conditionsOf(resource);
  if (conditions.length === 0) return null;
  return (
    <Section title={texts.conditions}>
      <ul className={styles.list}>
        {conditions.map((condition) => (
          <li key={condition.type}>
            <Badge tone={isBadCondition(condition) ? 'bad' : 'good'}>{condition.type}</Badge>{' '}
            {[condition.reason, condition.message].filter(Boolean).join(': ')}
          </li>
        ))}
      </ul>
    </Section>
  );
};

/** What is typed into the list, and the resource as it was when the typing began. */
interface AllowlistDraft {
  readonly text: string;
  readonly from: Resource;
}

const Allowlist = ({ resource }: { readonly resource: Resource }): ReactElement => {
  const [draft, setDraft] = useState<AllowlistDraft>();
  // What was typed stays while the server writes the state of the resource; saving it says which version it was typed into.
  const from = draft?.from ?? resource;
  const stored = (mcpSpec(from)?.policy?.tools?.allowlist ?? []).join('\n');
  const text = draft?.text ?? stored;
  const save = useAllowlist(savedOver(from, resource));
  const mayWrite = useCan()('admin', { ns: addressOfResource(resource).ns });
  return (
    <Section title={texts.allowlist}>
      <TextArea
        label={texts.allowlist}
        hint={texts.allowlistHint}
        isLabelHidden
        value={text}
        onChange={(next) => mayWrite && setDraft(next === stored ? undefined : { text: next, from })}
        rows={4}
      />
      <p className={styles.soft}>{texts.toolsHint}</p>
      {save.error && <Problem error={save.error} />}
      {draft !== undefined && (
        <div className={styles.actions}>
          <Button onClick={() => setDraft(undefined)}>{texts.cancel}</Button>
          <Button
            kind="primary"
            isBusy={save.isPending}
            onClick={() =>
              save.mutate(
                text
                  .split('\n')
                  .map((line) => line.trim())
                  .filter(Boolean),
                { onSuccess: () => setDraft(undefined) },
              )
            }
          >
            {texts.save}
          </Button>
        </div>
      )}
    </Section>
  );
};

const Uses = ({ ns, name }: { readonly ns: string; readonly name: string }): ReactElement => {
  const agents = useEveryResource('Agent', ns, { recursive: true });
  const using = (agents.data ?? []).filter(
    ({ spec }) => spec?.kind.case === 'agent' && spec.kind.value.mcpServerRefs.includes(name),
  );
  return (
    <Section title={texts.usedBy}>
      {agents.error && <Problem error={agents.error} />}
      {agents.isSuccess && using.length === 0 && <p className={styles.soft}>{texts.unused}</p>}
      <ul className={styles.list}>
        {using.map(({ metadata }) => (
          <li key={metadata?.uid}>
            <Link
              to="/ns/$ns/agents/$name"
              params={{ ns: metadata?.namespace ?? '', name: metadata?.name ?? '' }}
              search={{ tab: 'effective' }}
            >
              {metadata?.namespace === ns ? metadata.name : `${metadata?.namespace}/${metadata?.name}`}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
};
