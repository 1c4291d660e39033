DROP INDEX connector_contexts_oldest;
DROP INDEX connector_contexts_holder;
DROP TABLE connector_contexts;
