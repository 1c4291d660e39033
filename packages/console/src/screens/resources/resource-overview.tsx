import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { type ResourceChangedEvent, ResourceChangedEventSchema } from '@svc/api/events';
import type { Resource, ResourceCondition } from '@svc/api/resources';
import { type ReactElement, useState } from 'react';
import { useLiveEvents } from '../../live/live-context.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { conditionsOf, isBadCondition } from './conditions.ts';
import { createdAt } from './created-at.ts';
import type { ResourceAddress } from './resource-data.ts';
import { ResourceLink } from './resource-link.tsx';
import styles from './resources.module.css';
import { texts } from './texts.ts';

/** How a resource is: facts, conditions, labels, owners, and its changes while one looks. */
export const ResourceOverview = ({
  address,
  resource,
}: {
  readonly address: ResourceAddress;
  readonly resource: Resource;
}): ReactElement => {
  const { metadata } = resource;
  const conditions = conditionsOf(resource);
  return (
    <>
      <Facts
        rows={[
          [texts.kind, resource.kind],
          [texts.namespace, metadata?.namespace],
          [texts.created, <Time key="created" at={createdAt(metadata?.uid)} />],
          [texts.generation, String(metadata?.generation ?? '')],
          [texts.version, metadata?.resourceVersion],
          [texts.uid, metadata?.uid],
          [texts.finalizers, metadata?.finalizers.join(', ')],
          [texts.deletion, metadata?.deletionTimestamp && <Time at={metadata.deletionTimestamp} />],
        ]}
      />
      {(metadata?.ownerReferences.length ?? 0) > 0 && (
        <Section title={texts.owner}>
          <ul className={styles.list}>
            {metadata?.ownerReferences.map(({ uid, kind, name, namespace }) => (
              <li key={uid}>
                <ResourceLink address={{ kind, name, ns: namespace || address.ns, parent: '' }} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Pairs title={texts.labels} pairs={metadata?.labels ?? {}} />
      <Pairs title={texts.annotations} pairs={metadata?.annotations ?? {}} />
      {conditions.length > 0 && (
        <Section title={texts.conditions}>
          <ul className={styles.conditions}>
            {conditions.map((condition) => (
              <Condition key={condition.type} condition={condition} />
            ))}
          </ul>
        </Section>
      )}
      <Changes key={`${address.kind} ${address.ns}/${address.name}`} address={address} />
    </>
  );
};

const Pairs = ({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: Readonly<Record<string, string>>;
}): ReactElement | null => {
  const rows = Object.entries(pairs);
  if (rows.length === 0) return null;
  return (
    <Section title={title}>
      <Facts rows={rows} />
    </Section>
  );
};

const Condition = ({ condition }: { readonly condition: ResourceCondition }): ReactElement => {
  const { type, status, reason, message, lastTransitionTime } = condition;
  const tone = isBadCondition(condition) ? 'bad' : status === 'Unknown' ? 'calm' : 'good';
  return (
    <li>
      <Badge tone={tone}>{type}</Badge>
      <span>
        {[reason, message].filter(Boolean).join(': ')}{' '}
        <span className={styles.soft}>
          <Time at={lastTransitionTime} />
        </span>
      </span>
    </li>
  );
};

const SHOWN_CHANGES = 50;

/** What happened to the resource since it is shown; the server keeps no list of former changes. */
const Changes = ({ address }: { readonly address: ResourceAddress }): ReactElement => {
  const [changes, setChanges] = useState<readonly ResourceChangedEvent[]>([]);
  useLiveEvents('resource', (data) => {
    const event = fromJson(ResourceChangedEventSchema, data as JsonValue, { ignoreUnknownFields: true });
    const isOurs = event.resourceKind === address.kind && event.name === address.name;
    if (isOurs && (address.kind === 'Namespace' || event.namespace === address.ns))
      setChanges((before) => [event, ...before].slice(0, SHOWN_CHANGES));
  });
  return (
    <Section title={texts.changes}>
      {changes.length === 0 && <p className={styles.soft}>{texts.noChanges}</p>}
      <ul className={styles.list}>
        {changes.map(({ timestamp, changeType, changedSections, resourceVersion }) => (
          <li key={resourceVersion}>
            <Time at={timestamp} /> {texts.changeTypes[changeType]} {changedSections.join(', ')}
          </li>
        ))}
      </ul>
    </Section>
  );
};
