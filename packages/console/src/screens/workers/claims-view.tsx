import type { WorkerClaim } from '@svc/api/gateway';
import type { ReactElement } from 'react';
import { Goto } from '../../app/address.tsx';
import plain from '../../ui/plain-table.module.css';
import { Time } from '../../ui/time.tsx';
import { claimAddress } from './claim-address.ts';
import { texts } from './texts.ts';

/** What a worker holds, each with a link to where it is shown. */
export const ClaimsView = ({ claims }: { readonly claims: readonly WorkerClaim[] }): ReactElement => {
  if (claims.length === 0) return <p>{texts.holdsNothing}</p>;
  return (
    <div className={plain.scroll}>
      <table className={plain.table} aria-label={texts.claims}>
        <thead>
          <tr>
            <th scope="col">{texts.kind}</th>
            <th scope="col">{texts.what}</th>
            <th scope="col">{texts.state}</th>
            <th scope="col">{texts.since}</th>
            <th scope="col">{texts.until}</th>
            <th scope="col">{texts.tries}</th>
          </tr>
        </thead>
        <tbody>
          {claims.map((claim) => (
            <tr key={`${claim.kind} ${claim.ns} ${claim.id} ${claim.state}`}>
              <td>{claim.kind}</td>
              <td>
                <Goto to={claimAddress(claim)}>{`${claim.ns}/${claim.name || claim.agent}`}</Goto>
              </td>
              <td>{claim.state.toLowerCase()}</td>
              <td>{claim.since > 0n && <Time at={claim.since} />}</td>
              <td>
                <Time at={claim.until} />
              </td>
              <td>{claim.tries > 0 && claim.tries}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
