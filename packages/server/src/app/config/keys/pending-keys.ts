/** Keys that no code reads yet, grouped by the part that will; a test finds them. */
export const pendingKeys: Readonly<Record<string, readonly string[]>> = {
  'events between nodes': ['bus.url'],
  'the web console': ['console.title', 'console.readOnly'],
  connectors: [
    'connectors.errorReplyText',
    'connectors.secretRotationSeconds',
    'connectors.secretOverlapSeconds',
    'limits.registerTimeout',
    'limits.ingestBodyMax',
    'limits.ingestTextMax',
    'limits.ingestAttachmentsMax',
    'limits.ingestDedupeRetention',
    'limits.botRate',
    'limits.pointerRetention',
    'limits.deliveryTimeout',
    'limits.deliveryWindow',
    'limits.deliveryConcurrency',
    'limits.orderHold',
  ],
};
