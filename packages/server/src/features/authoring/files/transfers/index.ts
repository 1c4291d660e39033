/**
 * features/authoring/files/transfers: the ways in which the bytes of an announced upload come in: through a signed route of this
 * gateway, or straight into an object store that signs links of its own. Owns links, the route and the mark that bytes
 * are there; what a file shows of them is the business of features/authoring/files, which alone calls it.
 */
export { DirectTransfer } from './direct-transfer.ts';
export { GatewayTransfer } from './gateway-transfer.ts';
export { UploadSignatures } from './upload-signatures.ts';
export type { TransferDeps, UploadTransfer } from './upload-transfer.ts';
