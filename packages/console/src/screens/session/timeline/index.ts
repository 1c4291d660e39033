/** timeline: turns and their steps as bars on one axis of time. */
export { TimelineView } from './timeline-view.tsx';
