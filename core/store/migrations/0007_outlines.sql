-- The coarsest level: the full chunks of a curve in 26 to 50 buckets, in a row of one page, so that a thousand curves of any length
-- are a thousand pages. Buckets are those of metric_levels, each of 20 * 2^k points (the last may have fewer). A curve of one chunk
-- has its level 1 here instead of in metric_levels.
CREATE TABLE curve_outlines (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metric_names (id),
    attempt INTEGER NOT NULL,
    buckets BLOB NOT NULL,
    UNIQUE (run, metric, attempt)
);

-- At most one row: the runs up to this one are of before, and their outlines are written a few at a time, newest first. Until
-- then, their curves are read from finer levels.
CREATE TABLE outline_backlog (
    run INTEGER PRIMARY KEY
);
INSERT INTO outline_backlog (run) SELECT id FROM runs ORDER BY id DESC LIMIT 1;
