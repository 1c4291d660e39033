import { createAnswerCursors } from './answer-cursor.ts';
import { CursorCodec } from './cursor.ts';
import { StreamRegistry } from './session-streams.ts';

type RegistryDeps = ConstructorParameters<typeof StreamRegistry>[0];

interface StreamsDeps extends Omit<RegistryDeps, 'limits' | 'untilDoneIdleMs'> {
  readonly store: RegistryDeps['store'] & { readonly epoch: string };
  readonly settings: {
    readonly 'limits.streamBufferEvents': number;
    readonly 'limits.streamBufferBytes': number;
    /** In milliseconds. */
    readonly 'streams.untilDoneIdleSeconds': number;
  };
}

/** Streams of sessions, and the cursors of answers. */
export const createStreams = ({ settings, ...deps }: StreamsDeps) => ({
  streams: new StreamRegistry({
    ...deps,
    limits: { events: settings['limits.streamBufferEvents'], bytes: settings['limits.streamBufferBytes'] },
    untilDoneIdleMs: settings['streams.untilDoneIdleSeconds'],
  }),
  cursors: createAnswerCursors(new CursorCodec(deps.store.epoch)),
});
