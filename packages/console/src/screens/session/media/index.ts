/** media: pictures and other files of messages; what may be shown, and how their bytes come. */
export { MediaView } from './media-view.tsx';
