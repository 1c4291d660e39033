DROP TABLE connector_uploads;
DROP TABLE connector_pointers;
DROP TABLE connector_events;
DROP TABLE connector_routes;
DROP TABLE connector_secrets;
DROP TABLE connector_contexts;
