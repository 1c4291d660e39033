import type { Resource } from '@svc/api/resources';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { usePanels } from '../../app/panels/use-panels.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { EXPLAIN_EVENT, explainKey } from '../explain/index.ts';
import { addressText } from '../resources/index.ts';
import { useList, useRegisterAgain } from './connector-data.ts';
import { classFacts, connectorFacts, toneOf } from './connector-facts.ts';
import styles from './connectors.module.css';
import { texts } from './texts.ts';

/** The connector services of a namespace with their registration, and who gets their messages. */
export const ConnectorsPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const place = ns === EVERYWHERE ? 'default' : ns;
  const classes = useList('ConnectorClass', ns);
  const connectors = useList('Connector', ns);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <Goto to={addresses.deliveries(ns)}>{texts.deliveries}</Goto>
          <CopyMenu
            command={`svc get connectors ${ns === EVERYWHERE ? '-A' : `-n ${ns}`}`}
            path={`/v1/ns/${ns}/resources?kind=Connector`}
          />
        </>
      }
    >
      <Section
        title={texts.classes}
        actions={<Goto to={addresses.newResource(place, 'ConnectorClass')}>{texts.newClass}</Goto>}
      >
        {classes.isPending && <Loading />}
        {classes.error && <Problem error={classes.error} onRetry={() => void classes.refetch()} />}
        {classes.data?.length === 0 && (
          <Empty icon="plug" title={texts.noClasses}>
            <p>{texts.noClassesLead}</p>
            <code>{texts.command}</code>
          </Empty>
        )}
        <ul className={styles.cards}>
          {classes.data?.map((found) => (
            <ClassCard key={found.metadata?.uid} found={found} />
          ))}
        </ul>
      </Section>
      <Section
        title={texts.connectors}
        actions={<Goto to={addresses.newResource(place, 'Connector')}>{texts.newConnector}</Goto>}
      >
        {connectors.isPending && <Loading />}
        {connectors.error && <Problem error={connectors.error} onRetry={() => void connectors.refetch()} />}
        {connectors.data?.length === 0 && <p className={styles.soft}>{texts.noConnectors}</p>}
        <ul className={styles.cards}>
          {connectors.data?.map((found) => (
            <ConnectorCard key={found.metadata?.uid} found={found} />
          ))}
        </ul>
      </Section>
    </Page>
  );
};

const NameOf = ({ found }: { readonly found: Resource }): ReactElement => {
  const { open } = usePanels();
  const { kind, metadata } = found;
  const [ns, name] = [metadata?.namespace ?? '', metadata?.name ?? ''];
  return (
    <Button kind="quiet" onClick={() => open({ type: 'resource', key: addressText({ kind, ns, name, parent: '' }) })}>
      {name}
    </Button>
  );
};

const ClassCard = ({ found }: { readonly found: Resource }): ReactElement => {
  const { platform, endpoint, phase, problems } = classFacts(found);
  const ns = found.metadata?.namespace ?? '';
  const can = useCan();
  const again = useRegisterAgain(() => notify(texts.reregisterAsked));
  return (
    <li className={styles.card}>
      <span className={styles.head}>
        <NameOf found={found} />
        <Badge tone={toneOf(phase)}>{phase || 'pending'}</Badge>
        <span className={styles.soft}>{[platform, ns].filter(Boolean).join(' · ')}</span>
      </span>
      <code>{endpoint}</code>
      {problems.map((problem) => (
        <p key={problem} className={styles.wrong}>
          {problem}
        </p>
      ))}
      {again.error && <Problem error={again.error} />}
      {can('admin', { ns }) && (
        <div>
          <Button icon="retry" isBusy={again.isPending} onClick={() => again.mutate(found)}>
            {texts.reregister}
          </Button>
        </div>
      )}
    </li>
  );
};

const ConnectorCard = ({ found }: { readonly found: Resource }): ReactElement => {
  const { service, matches, consumer, phase, routes, problems } = connectorFacts(found);
  const can = useCan();
  const { open } = usePanels();
  const [ns, name] = [found.metadata?.namespace ?? '', found.metadata?.name ?? ''];
  return (
    <li className={styles.card}>
      <span className={styles.head}>
        <NameOf found={found} />
        <Badge tone={toneOf(phase)}>{phase || 'pending'}</Badge>
        <span className={styles.soft}>{[service, ns].filter(Boolean).join(' · ')}</span>
      </span>
      <span>
        {texts.matches} <code>{matches}</code> {texts.consumer.toLowerCase()} <strong>{consumer}</strong>
      </span>
      {routes.length > 0 && (
        <span className={styles.soft}>
          {texts.routes}: {routes.join(', ')}
        </span>
      )}
      {problems.map((problem) => (
        <p key={problem} className={styles.wrong}>
          {problem}
        </p>
      ))}
      <Link to="/ns/$ns/deliveries" params={{ ns }} search={{ connector: name }}>
        {texts.deliveries}
      </Link>
      {can('operator', { ns }) && (
        <div>
          <Button icon="play" onClick={() => open({ type: EXPLAIN_EVENT, key: explainKey({ ns, name }) })}>
            {texts.explain}
          </Button>
        </div>
      )}
    </li>
  );
};
