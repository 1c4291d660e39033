DROP TABLE connector_contexts;
