DROP TABLE task_pushes;
