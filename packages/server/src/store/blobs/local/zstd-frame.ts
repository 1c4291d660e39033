/** Bytes that are enough to hold the header of a frame. */
export const FRAME_HEADER_BYTES = 18;
const MAGIC = 0xfd2fb528;

/** Plain size that a zstd frame states in its header (RFC 8878, 3.1.1.1); undefined when it states none or is not a frame. */
export const frameContentSize = (header: Uint8Array): number | undefined => {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.byteLength < 6 || view.getUint32(0, true) !== MAGIC) return undefined;
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : [0, 2, 4, 8][sizeFlag];
  if (sizeBytes === undefined || at + sizeBytes > view.byteLength) return undefined;
  switch (sizeBytes) {
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    case 8:
      return Number(view.getBigUint64(at, true));
    default:
      return undefined;
  }
};
