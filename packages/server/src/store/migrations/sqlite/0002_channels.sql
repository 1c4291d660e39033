-- Channels by the uid of their resource. Sequences of events have no holes; the head holds the last one given out.
CREATE TABLE channel_heads (
  channel_uid TEXT PRIMARY KEY,
  last_sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_messages (
  row INTEGER PRIMARY KEY,
  channel_uid TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (channel_uid, id)
) STRICT;

-- A message stands in channel_messages only; message_id '' = the event shows none.
CREATE TABLE channel_events (
  channel_uid TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (channel_uid, sequence)
) STRICT, WITHOUT ROWID;
