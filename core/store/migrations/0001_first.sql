-- Schema 1: runs in a wide typed table, their documents apart, metric points in chunks, sweeps and trials.
-- The database is an index: everything here can be rebuilt from the run and sweep folders.
-- Numbers that are NaN are stored as the text 'nan', because SQLite would turn them into NULL, and NULL means unknown.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_unix_ms INTEGER NOT NULL,
    started_unix_ms INTEGER,
    ended_unix_ms INTEGER,
    config_hash TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '',      -- each tag between newlines: "\na\nb\n"; empty without tags
    archived INTEGER NOT NULL DEFAULT 0,
    locked INTEGER NOT NULL DEFAULT 0,
    deleted_unix_ms INTEGER,
    sweep_id TEXT NOT NULL DEFAULT '',
    trial INTEGER,
    exit_code INTEGER,
    last_step INTEGER NOT NULL DEFAULT 0,
    -- from the config
    model_family TEXT,
    num_layers INTEGER,
    hidden_size INTEGER,
    ffn_hidden_size INTEGER,
    num_heads INTEGER,
    num_kv_heads INTEGER,
    vocab_size INTEGER,
    num_experts INTEGER,
    seq_len INTEGER,
    global_batch_size INTEGER,
    micro_batch_size INTEGER,
    num_micro_batches INTEGER,
    num_steps INTEGER,
    precision TEXT,
    recompute TEXT,
    seed INTEGER,
    threads_per_rank INTEGER,
    lr REAL,
    world_size INTEGER,
    dp INTEGER,
    tp INTEGER,
    pp INTEGER,
    cp INTEGER,
    ep INTEGER,
    zero_stage INTEGER,
    virtual_stages INTEGER,
    schedule TEXT,
    sequence_parallel INTEGER,
    data_tokens TEXT,
    -- from the plan's hardware
    device_name TEXT,
    num_nodes INTEGER,
    -- forecast and measurement under the same names
    forecast_mfu_rule TEXT,
    measured_mfu_rule TEXT,
    forecast_step_seconds REAL,
    forecast_tokens_per_second REAL,
    forecast_tokens_per_second_per_device REAL,
    forecast_mfu REAL,
    forecast_memory_peak_bytes REAL,
    forecast_memory_rss_bytes REAL,
    forecast_bubble_fraction REAL,
    forecast_bubble_theoretical REAL,
    forecast_bubble_simulated REAL,
    forecast_comm_bytes REAL,
    forecast_comm_seconds REAL,
    forecast_comm_exposed_seconds REAL,
    forecast_final_loss REAL,
    forecast_min_loss REAL,
    forecast_num_steps REAL,
    forecast_warmup_steps REAL,
    forecast_total_tokens REAL,
    forecast_parameters REAL,
    forecast_flops_per_token REAL,
    forecast_peak_flops REAL,
    measured_step_seconds REAL,
    measured_tokens_per_second REAL,
    measured_tokens_per_second_per_device REAL,
    measured_mfu REAL,
    measured_memory_peak_bytes REAL,
    measured_memory_rss_bytes REAL,
    measured_bubble_fraction REAL,
    measured_bubble_theoretical REAL,
    measured_bubble_simulated REAL,
    measured_comm_bytes REAL,
    measured_comm_seconds REAL,
    measured_comm_exposed_seconds REAL,
    measured_final_loss REAL,
    measured_min_loss REAL,
    measured_num_steps REAL,
    measured_warmup_steps REAL,
    measured_total_tokens REAL,
    measured_parameters REAL,
    measured_flops_per_token REAL,
    measured_peak_flops REAL,
    reason TEXT NOT NULL DEFAULT '',
    notes TEXT NOT NULL DEFAULT ''
);
CREATE INDEX runs_by_creation ON runs (created_unix_ms, id);
CREATE INDEX runs_by_sweep ON runs (sweep_id, trial) WHERE sweep_id <> '';

-- Long texts lie apart, so that a scan of the wide table stays short.
CREATE TABLE run_documents (
    run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    config TEXT NOT NULL DEFAULT '',
    cluster TEXT NOT NULL DEFAULT '',
    forecast TEXT NOT NULL DEFAULT ''
);

-- How far each stream was read; moved in the same transaction as the points it delivered.
CREATE TABLE stream_cursors (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    byte_offset INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    malformed_lines INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, file)
) WITHOUT ROWID;

CREATE TABLE attempts (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    resume_step INTEGER NOT NULL,
    world_size INTEGER NOT NULL,
    started_unix_ms INTEGER NOT NULL,
    end_status TEXT NOT NULL DEFAULT '',
    exit_code INTEGER,
    end_step INTEGER,
    ended_unix_ms INTEGER,
    PRIMARY KEY (run, attempt)
) WITHOUT ROWID;

CREATE TABLE metric_names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- About 1,000 points each: num_points int64 steps, then as many doubles, both little-endian.
CREATE TABLE metric_chunks (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES metric_names (id),
    first_step INTEGER NOT NULL,
    last_step INTEGER NOT NULL,
    num_points INTEGER NOT NULL,
    points BLOB NOT NULL,
    UNIQUE (run, metric, attempt, first_step)
);

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    name TEXT NOT NULL,
    detail TEXT NOT NULL,
    time_unix_ms INTEGER NOT NULL
);
CREATE INDEX events_by_run ON events (run, step);

CREATE TABLE sweeps (
    id INTEGER PRIMARY KEY,
    sweep_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    identity TEXT NOT NULL,
    status TEXT NOT NULL,
    created_unix_ms INTEGER NOT NULL,
    ended_unix_ms INTEGER,
    document TEXT NOT NULL,
    notes TEXT NOT NULL
);
CREATE INDEX sweeps_by_identity ON sweeps (identity);

CREATE TABLE trials (
    sweep_id TEXT NOT NULL,
    trial INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    run_id TEXT NOT NULL,
    config_hash TEXT NOT NULL,
    point TEXT NOT NULL,
    PRIMARY KEY (sweep_id, trial)
) WITHOUT ROWID;
