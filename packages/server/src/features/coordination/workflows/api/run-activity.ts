import { toJson } from '@bufbuild/protobuf';
import { WorkflowRunEventSchema } from '@svc/api/data';
import type { Bus } from '../../../../store/contracts/index.ts';
import { CursorLine, Cursors } from '../../../../streams/index.ts';
import { RUN_ACTIVITY, type RunActivity } from '../record/index.ts';
import { runEventForm } from './run-form.ts';

/** One event of any run: `data` is the JSON text of its WorkflowRunEvent. */
interface RunEventText {
  readonly namespace: string;
  readonly data: string;
}

/** Live events of all runs, for consoles (`/v1/ui/events`); each has the id under which StreamRunEvents continues after it. */
export class RunActivities {
  readonly #bus: Pick<Bus, 'subscribe'>;
  readonly #cursors: Cursors;

  constructor({ bus, epoch }: { readonly bus: Pick<Bus, 'subscribe'>; readonly epoch: string }) {
    this.#bus = bus;
    this.#cursors = new Cursors(epoch);
  }

  /** Answers how to stop. */
  subscribe(receive: (event: RunEventText) => void): () => void {
    return this.#bus.subscribe(RUN_ACTIVITY, (message) => {
      const { run, event } = message as RunActivity;
      const id = new CursorLine(this.#cursors.prefix(run.id)).at(event.sequence);
      const data = JSON.stringify(
        toJson(WorkflowRunEventSchema, runEventForm(run, event, id), { alwaysEmitImplicit: true }),
      );
      receive({ namespace: run.namespace, data });
    });
  }
}
