import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { ServerEvent } from './event-lines.ts';
import type { LiveState, LiveStream } from './live-stream.ts';

export const LiveContext = createContext<LiveStream | undefined>(undefined);

const useLiveStream = (): LiveStream => {
  const stream = useContext(LiveContext);
  if (stream === undefined) throw new Error('used outside of the signed-in part of the page');
  return stream;
};

/** How the connection to the server is. */
export const useLiveState = (): LiveState => {
  const stream = useLiveStream();
  return useSyncExternalStore(stream.watch, () => stream.state);
};

/** Calls back for every event of the topic while the component is shown, with the value of its JSON. */
export const useLiveEvents = (topic: string, receive: (data: unknown) => void): void => {
  const stream = useLiveStream();
  const receiveNow = useEffectEvent((event: ServerEvent) => {
    if (event.event === topic) receive(JSON.parse(event.data));
  });
  useEffect(() => stream.listen(receiveNow), [stream]);
};
