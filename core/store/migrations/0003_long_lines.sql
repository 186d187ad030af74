-- Whether a stream was read up to the middle of a line too long to store: its remainder is skipped, never read as a line.
ALTER TABLE stream_cursors ADD COLUMN inside_line INTEGER NOT NULL DEFAULT 0;
