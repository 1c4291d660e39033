DROP INDEX artifacts_session;
DROP TABLE artifacts;
