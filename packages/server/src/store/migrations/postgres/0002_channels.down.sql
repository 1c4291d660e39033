DROP TABLE channel_events;
DROP TABLE channel_messages;
DROP TABLE channel_heads;
