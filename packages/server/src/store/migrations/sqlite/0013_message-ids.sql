-- A message is found by its id alone when people ask what became of it.
CREATE INDEX messages_id ON messages (id);
