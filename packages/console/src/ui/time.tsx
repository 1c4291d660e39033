import { type ReactElement, useSyncExternalStore } from 'react';
import { millisOf, relativeTime } from './time-texts.ts';

const KEY = 'svc.times';
const watchers = new Set<() => void>();
let now = Date.now();
setInterval(() => {
  now = Date.now();
  for (const changed of watchers) changed();
}, 10_000);

const watch = (changed: () => void): (() => void) => {
  watchers.add(changed);
  return () => watchers.delete(changed);
};

const timesAreAbsolute = (): boolean => localStorage.getItem(KEY) === 'absolute';

export const switchTimes = (): void => {
  localStorage.setItem(KEY, timesAreAbsolute() ? 'relative' : 'absolute');
  for (const changed of watchers) changed();
};

/** Whether times are shown as `3 min. ago` or as date and time; one switch for the whole page. */
export const useAbsoluteTimes = (): boolean => useSyncExternalStore(watch, timesAreAbsolute);

/** Made with the first time that is shown, as is what writes the relative ones. */
let absoluteForm: Intl.DateTimeFormat | undefined;

const absoluteTime = (date: Date): string => {
  absoluteForm ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  return absoluteForm.format(date);
};

/** A moment in Unix microseconds; hovering shows it in the local zone and in UTC. Nothing for 0 and undefined. */
export const Time = ({ at }: { readonly at: bigint | undefined }): ReactElement | null => {
  const nowMs = useSyncExternalStore(watch, () => now);
  const isAbsolute = useAbsoluteTimes();
  if (at === undefined || at === 0n) return null;
  const date = new Date(millisOf(at));
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={`${absoluteTime(date)} here, ${date.toISOString()} UTC`}>
      {isAbsolute ? absoluteTime(date) : relativeTime(date.getTime(), nowMs)}
    </time>
  );
};
