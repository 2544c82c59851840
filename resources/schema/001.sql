-- Conversations are trees of messages. Times are milliseconds since 1970 UTC; ids grow in the order
-- of writing, conversations and messages from one sequence.

CREATE TABLE conversation (
    id                INTEGER PRIMARY KEY,
    title             TEXT NOT NULL,
    renamed           INTEGER NOT NULL DEFAULT 0, -- the title is the user's own
    pinned            INTEGER NOT NULL DEFAULT 0,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    deleted_at        INTEGER,                    -- in the trash since
    active_message_id INTEGER NOT NULL DEFAULT 0  -- the end of the branch shown
) STRICT;

CREATE TABLE message (
    id                     INTEGER PRIMARY KEY,
    conversation_id        INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    parent_id              INTEGER REFERENCES message (id) ON DELETE CASCADE,
    role                   TEXT NOT NULL,
    text                   TEXT NOT NULL,
    model_name             TEXT NOT NULL DEFAULT '',
    created_at             INTEGER NOT NULL,
    state                  TEXT NOT NULL,
    error                  TEXT NOT NULL DEFAULT '',
    tokens                 INTEGER NOT NULL DEFAULT 0,
    tokens_per_second      REAL NOT NULL DEFAULT 0,
    seconds_to_first_token REAL NOT NULL DEFAULT 0,
    seconds                REAL NOT NULL DEFAULT 0,
    seed                   INTEGER NOT NULL DEFAULT 0, -- 64 bits, as a signed number
    stop_reason            TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX message_conversation ON message (conversation_id, id);

CREATE INDEX message_parent ON message (parent_id);

CREATE INDEX message_writing ON message (id) WHERE state = 'writing';

-- What a reply being written has grown by, piece by piece, so that a second of text costs a second
-- of text. Joined into the message when it ends.
CREATE TABLE reply_piece (
    id         INTEGER PRIMARY KEY,
    message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    text       TEXT NOT NULL
) STRICT;

CREATE INDEX reply_piece_message ON reply_piece (message_id, id);

-- Typed and not sent; conversation 0 is the chat that has not begun.
CREATE TABLE draft (
    conversation_id INTEGER PRIMARY KEY,
    text            TEXT NOT NULL
) STRICT;

CREATE TABLE search_state (
    stale INTEGER NOT NULL -- messages were written that the index does not have
) STRICT;

INSERT INTO search_state (stale) VALUES (1);
