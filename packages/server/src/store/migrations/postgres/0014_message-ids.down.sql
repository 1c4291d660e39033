DROP INDEX messages_id;
