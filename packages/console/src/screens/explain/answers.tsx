import type { MessageConsumer, RouteVerdict, SubscriptionVerdict } from '@svc/api/data';
import type { ExplainMessageEventResponse } from '@svc/api/gateway';
import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import styles from './explain.module.css';
import { texts } from './texts.ts';
import { outcomeOf, routeText, routeTone, subscriptionText, subscriptionTone } from './verdict-texts.ts';

interface SubscriptionListProps {
  readonly ns: string;
  readonly verdicts: readonly SubscriptionVerdict[];
}

/** Which agents of a channel would be called, and why not the others. */
export const SubscriptionList = ({ ns, verdicts }: SubscriptionListProps): ReactElement =>
  verdicts.length === 0 ? (
    <p className={styles.soft}>{texts.noSubscriptions}</p>
  ) : (
    <ul className={styles.verdicts}>
      {verdicts.map((verdict) => (
        <li key={verdict.subscription}>
          <span className={styles.head}>
            <Goto to={addresses.agent(ns, verdict.agent)}>{verdict.agent}</Goto>
            <Badge tone={subscriptionTone(verdict)}>
              {verdict.outcome === 'called' ? texts.called : texts.notCalled}
            </Badge>
          </span>
          <span className={styles.soft}>
            {[verdict.subscription, subscriptionText(verdict)].filter(Boolean).join(': ')}
          </span>
        </li>
      ))}
    </ul>
  );

const RouteList = ({ verdicts }: { readonly verdicts: readonly RouteVerdict[] }): ReactElement => (
  <ul className={styles.verdicts}>
    {verdicts.map((verdict) => (
      <li key={`${verdict.routeId} ${verdict.ns} ${verdict.connector}`}>
        <span className={styles.head}>
          <code>{verdict.routeId}</code>
          <Badge tone={routeTone(verdict)}>{verdict.outcome.replaceAll('_', ' ')}</Badge>
        </span>
        <span className={styles.soft}>
          {verdict.connector !== '' && (
            <Goto to={addresses.resource(verdict.ns, 'Connector', verdict.connector)}>{verdict.connector}</Goto>
          )}{' '}
          {routeText(verdict)}
        </span>
      </li>
    ))}
  </ul>
);

/** What would become of an event of a platform. */
export const EventAnswer = ({ answer }: { readonly answer: ExplainMessageEventResponse }): ReactElement => {
  const { status, reason, explanation, ns, connector, consumer, routes, subscriptions } = answer;
  const { word, tone } = outcomeOf(status);
  const channel = consumer?.channel;
  return (
    <>
      <p className={styles.head}>
        <Badge tone={tone}>{word}</Badge> {explanation === '' ? reason : explanation}
      </p>
      <Facts
        rows={[
          [texts.outcome, reason !== word && <code key="reason">{reason}</code>],
          [
            texts.connector,
            connector !== '' && (
              <Goto key="connector" to={addresses.resource(ns, 'Connector', connector)}>
                {connector}
              </Goto>
            ),
          ],
          [texts.goesTo, consumer && <Target key="target" consumer={consumer} isNew={answer.session === 'new'} />],
        ]}
      />
      {answer.answersRequest && <p>{texts.answersRequest}</p>}
      {channel !== undefined && (
        <>
          <h3>{texts.agents}</h3>
          <SubscriptionList ns={channel.channel?.namespace ?? ''} verdicts={subscriptions} />
        </>
      )}
      {routes.length > 0 && (
        <>
          <h3>{texts.routes}</h3>
          <RouteList verdicts={routes} />
          {answer.routesTruncated && <p className={styles.soft}>{texts.moreRoutes}</p>}
        </>
      )}
    </>
  );
};

const Target = ({
  consumer: { session, channel, workflow },
  isNew,
}: {
  readonly consumer: MessageConsumer;
  readonly isNew: boolean;
}): ReactElement | null => {
  if (session !== undefined) {
    const { namespace = '', name = '' } = session.agent ?? {};
    return (
      <>
        <Goto to={addresses.agent(namespace, name)}>{name}</Goto>, {isNew && texts.newSession}
        {!isNew && session.sessionId === '' && texts.otherSession}
        {session.sessionId !== '' && (
          <Goto to={addresses.session(namespace, name, session.sessionId)}>{texts.existingSession}</Goto>
        )}
      </>
    );
  }
  if (channel !== undefined) {
    const { namespace = '', name = '' } = channel.channel ?? {};
    return <Goto to={addresses.channel(namespace, name)}>{name}</Goto>;
  }
  return workflow === undefined ? null : (
    <Goto to={addresses.workflow(workflow.namespace, workflow.name)}>{workflow.name}</Goto>
  );
};
