-- What a model thinks before it answers is apart from its answer.

ALTER TABLE message ADD COLUMN reasoning TEXT NOT NULL DEFAULT '';

ALTER TABLE reply_piece ADD COLUMN reasoning TEXT NOT NULL DEFAULT '';

-- Replies were kept with their tags. (SQLite sees the old text on both right sides.)
UPDATE message SET
    reasoning = trim(substr(text, instr(text, '<think>') + 7,
                            instr(text, '</think>') - instr(text, '<think>') - 7), char(9, 10, 13, 32)),
    text = ltrim(substr(text, instr(text, '</think>') + 8), char(9, 10, 13, 32))
WHERE role = 'assistant' AND substr(ltrim(text, char(9, 10, 13, 32)), 1, 7) = '<think>'
    AND instr(text, '</think>') > 0;

UPDATE message SET
    reasoning = trim(substr(text, instr(text, '<think>') + 7), char(9, 10, 13, 32)),
    text = ''
WHERE role = 'assistant' AND substr(ltrim(text, char(9, 10, 13, 32)), 1, 7) = '<think>';

UPDATE search_state SET stale = 1;
