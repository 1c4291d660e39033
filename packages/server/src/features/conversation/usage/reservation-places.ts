import type { WriteTx } from '../../../store/contracts/index.ts';

/** How often a reservation of one name is made and given back at most. */
const RESERVATIONS_MAX = 16;

/** Where the next reservation under a name is noted; undefined while one is held, which makes repeating it free. */
export const reservationPlace = async (tx: WriteTx, name: string): Promise<string | undefined> => {
  for (let round = 0; round < RESERVATIONS_MAX; round++) {
    const scope = `usage/${name}/${round}`;
    if ((await tx.idempotency.find(scope, tx.steadyNow())) === undefined) return scope;
    if ((await tx.idempotency.find(`${scope}/back`, tx.steadyNow())) === undefined) return undefined;
  }
  return undefined;
};

/** The reservation under a name that was not given back; undefined when there is none. */
export const openReservation = async (tx: WriteTx, name: string) => {
  for (let round = 0; round < RESERVATIONS_MAX; round++) {
    const held = await tx.idempotency.find(`usage/${name}/${round}`, tx.steadyNow());
    if (held === undefined) return undefined;
    if ((await tx.idempotency.find(`${held.scope}/back`, tx.steadyNow())) === undefined) return held;
  }
  return undefined;
};
