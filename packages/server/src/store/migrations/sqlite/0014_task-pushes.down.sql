DROP INDEX task_pushes_session;
DROP TABLE task_pushes;
