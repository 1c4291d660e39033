/** Keys that no code reads yet, by the part they are for; a test finds them. */
export const pendingKeys: Readonly<Record<string, readonly string[]>> = {
  'events between nodes': ['bus.url'],
  'the web console': ['console.title', 'console.readOnly'],
  connectors: [
    ...['connectors.errorReplyText', 'connectors.silenceTokens', 'connectors.secretRotationSeconds'],
    ...['connectors.secretOverlapSeconds', 'limits.registerTimeout', 'limits.ingestBodyMax', 'limits.ingestTextMax'],
    ...['limits.ingestAttachmentsMax', 'limits.ingestDedupeRetention', 'limits.botRate', 'limits.pointerRetention'],
    ...['limits.deliveryTimeout', 'limits.deliveryWindow', 'limits.deliveryConcurrency', 'limits.orderHold'],
  ],
  'routing in channels': ['limits.channelMaxHops', 'limits.channelAgentRate'],
  'runs of workflows': [
    ...['limits.runInputMax', 'limits.stepOutputMax', 'limits.runDepthMax', 'limits.runsActiveMax', 'retention.runs'],
  ],
  'delegation between agents': ['a2a.maxDepth', 'a2a.maxRounds'],
  'vector search': ['knowledge.embeddings'],
  sandboxes: ['sandbox.providers', 'sandbox.idleStop', 'sandbox.destroyAfter'],
};
