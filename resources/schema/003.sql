-- A message in the trash takes what follows it along; only the message itself is marked.

ALTER TABLE message ADD COLUMN deleted_at INTEGER;

CREATE INDEX message_deleted ON message (id) WHERE deleted_at IS NOT NULL;
