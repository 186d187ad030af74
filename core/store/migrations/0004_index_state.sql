-- How far the index is a picture of the folders, and what it remembers of each folder to keep up with other programs,
-- other computers and hands.
CREATE TABLE index_state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    epoch INTEGER NOT NULL,     -- number of the newest rebuild; a row of an older epoch was not read by it yet
    complete INTEGER NOT NULL,  -- 0 until that rebuild is done: whoever opens the index then finishes it
    list_version INTEGER NOT NULL DEFAULT 0, -- counts changes of what lists show, metric points aside
    runs_stamp INTEGER NOT NULL DEFAULT 0,   -- modification time of runs/ and sweeps/ (ns) when every folder in them
    sweeps_stamp INTEGER NOT NULL DEFAULT 0  -- was known last
);
INSERT INTO index_state (only, epoch, complete) SELECT 1, 0, EXISTS (SELECT 1 FROM runs);

ALTER TABLE runs ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN meta_stamp INTEGER NOT NULL DEFAULT 0;  -- modification time of meta.json (ns) as read
ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT '';          -- where the newest attempt runs, if not here
ALTER TABLE runs ADD COLUMN last_sign_unix_ms INTEGER;              -- its newest heartbeat that was seen from here
ALTER TABLE sweeps ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_open ON runs (id) WHERE status IN ('planned', 'queued', 'running');
