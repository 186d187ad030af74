-- Coarser resolutions of the curves, so that a chart of millions of points reads thousands of rows: per full chunk of
-- metric_chunks a row of level 1 (a bucket every 20 points) and one of level 2 (one bucket of the whole chunk). A bucket
-- is a SeriesBucket of core/metrics/metric_series.h, 80 bytes, little-endian. A chunk with room has no rows here.
CREATE TABLE metric_levels (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metric_names (id),
    attempt INTEGER NOT NULL,
    level INTEGER NOT NULL,
    first_step INTEGER NOT NULL,
    buckets BLOB NOT NULL,
    PRIMARY KEY (run, metric, attempt, level, first_step)
) WITHOUT ROWID;

-- Full chunks of before, whose levels are written a few at a time; while there are any, curves are read from points.
CREATE TABLE level_backlog (
    chunk INTEGER PRIMARY KEY
);
INSERT INTO level_backlog (chunk) SELECT id FROM metric_chunks WHERE num_points >= 1000;

-- Header lines, and steps at or below the newest: what changes points that a reader may have kept.
ALTER TABLE stream_cursors ADD COLUMN rewinds INTEGER NOT NULL DEFAULT 0;
