/**
 * features/coordination/connectors/attachments: bytes that connector services send ahead of their events, and which of them an event may name.
 */
export { type AttachmentDeps, settleEventAttachments } from './settle-attachments.ts';
export { uploadHolderOf, uploadRoute } from './upload-route.ts';
