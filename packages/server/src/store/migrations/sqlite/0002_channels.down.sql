-- Releases before it know no channel logs.
DROP TABLE channel_events;
DROP TABLE channel_messages;
DROP TABLE channel_heads;
