-- How a chat goes on that has filled its context, and what of it replies are not given.

CREATE TABLE context_choice (
    conversation_id INTEGER PRIMARY KEY,
    policy          TEXT NOT NULL, -- ask, drop-oldest, shorten-oldest
    omitted_turns   INTEGER NOT NULL,
    summary         TEXT NOT NULL  -- of those turns; empty: none
) STRICT;
