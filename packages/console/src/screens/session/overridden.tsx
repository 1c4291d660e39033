import type { SessionResponse } from '@svc/api/gateway';
import type { SessionKey } from '@svc/client';
import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { agentValues, differences } from './actions/index.ts';
import { OverridesBanner } from './overrides-banner.tsx';
import { useSessionAgent } from './session-data.ts';
import { texts } from './texts.ts';

interface OverriddenProps {
  readonly session: SessionKey;
  readonly facts: SessionResponse;
  /** With a link to the session that this one was forked from. */
  readonly showsSource?: boolean;
}

/** In what a session differs from its agent; nothing for one that does not. */
export const Overridden = ({ session, facts, showsSource = false }: OverriddenProps): ReactElement | null => {
  const agent = useSessionAgent(session);
  if (agent === undefined || facts.overrides === undefined) return null;
  const source = showsSource ? (facts.labels['svc/forked-from'] ?? '') : '';
  return (
    <OverridesBanner
      differences={differences(agentValues(agent.spec), facts.overrides)}
      source={source !== '' && <Goto to={addresses.session(session.ns, session.agent, source)}>{texts.source}</Goto>}
    />
  );
};
