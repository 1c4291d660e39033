import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older or newer requests are refused, so that one that was recorded cannot be sent again later. */
const TOLERANCE_SECONDS = 300;

/** `sha256=` and the HMAC-SHA256 over `<timestamp>.<body>` in hex digits; `timestamp` in Unix seconds. */
export const sign = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;

/** What is wrong with a signed request; undefined when it is right. */
export function signatureProblem(
  request: { readonly headers: Headers; readonly body: Uint8Array },
  expected: { readonly secret: string; readonly nowMs: number },
): string | undefined {
  const timestamp = request.headers.get('svc-webhook-timestamp') ?? '';
  const signature = request.headers.get('svc-webhook-signature') ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return 'svc-webhook-timestamp is missing or not in Unix seconds';
  const right = Buffer.from(sign(expected.secret, timestamp, request.body));
  const shown = Buffer.from(signature);
  if (shown.length !== right.length || !timingSafeEqual(shown, right))
    return 'svc-webhook-signature is missing or wrong';
  const isRecent = Math.abs(expected.nowMs / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  return isRecent ? undefined : `svc-webhook-timestamp is more than ${TOLERANCE_SECONDS} s off`;
}
