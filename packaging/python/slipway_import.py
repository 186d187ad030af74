"""Runs of other trackers as Slipway runs: Weights & Biases' offline files and exports, MLflow's server, SQLite file and file store,
Trackio's SQLite files, Parquet tables (Neptune's exporter, and any table with a column of steps), Aim's repositories.

    python3 -m slipway_import wandb/offline-run-1/run-1.wandb mlflow.db mlruns/ run.parquet --map step=iter,loss=train_loss
    python3 -m slipway_import http://localhost:5000/#/experiments/3 history.json wandb_chart.csv

Only Parquet and Aim need a package: pyarrow, aim. Each run becomes a folder that `slipway runs` shows; what its source does not tell stays unknown.
`slipway import` reads logs, CSVs and TensorBoard files.
"""
import argparse
import atexit
import json
import math
import os
import re
import shutil
import sqlite3
import struct
import sys
import tempfile
import time
import zlib

import slipway
import slipway_exports

MOST_RUNS = 10000  # of one source
MOST_POINTS = 50_000_000
LONGEST_FILE = 1 << 30  # bytes of one file of MLflow's file store
LONGEST_RECORD = 64 << 20  # bytes of one record of Weights & Biases
STEP_COLUMNS = ("step", "_step", "global_step", "iteration", "iter")


class Table:
    """The figures of one run by step, under the store's names."""

    def __init__(self, name, source, tracker, started=None):
        self.name, self.source, self.tracker, self.started, self.config = name, source, tracker, started, {}
        self.steps, self.times, self.refused = {}, {}, 0

    def add(self, step, name, value, milliseconds=0):
        try:
            step, value = int(step), float(value)
        except (TypeError, ValueError, OverflowError):
            self.refused += 1
            return
        if not 0 <= step <= 10**12 or not name or len(name) > slipway.LONGEST_NAME or any(map(slipway._steers, name)):
            self.refused += 1
            return
        name = slipway.NAMES.get(name) or ("lr" if slipway.LEARNING_RATE.match(name) else name)
        if name == "time_unix_ms":
            return
        self.steps.setdefault(step, {})[name] = value
        if 0 < milliseconds < 1 << 62:
            self.times[step] = int(milliseconds)


def _safe(text, otherwise="imported"):
    """A name that the store takes, of one from a file."""
    text = "".join(c for c in slipway._readable(text or "") if not slipway._steers(c)).strip()
    return text[: slipway.LONGEST_NAME] or otherwise


def _figure(text):
    """A parameter as the number that it is, else as text."""
    try:
        return int(text)
    except (TypeError, ValueError):
        pass
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


# ---- the sources ----

def _open_sqlite(path):
    base = sqlite3.connect("file:" + re.sub(r"[?#%]", lambda m: "%%%02X" % ord(m[0]), os.path.abspath(path)) + "?mode=ro", uri=True)
    base.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return base


def _bounded(cursor, path):
    for count, row in enumerate(cursor):
        if count >= MOST_POINTS:
            raise slipway.Error(f"{path} has more than {MOST_POINTS} figures; export fewer runs.")
        yield row


def read_mlflow(base, path):
    """runs, metrics, params (mlflow/mlflow: mlflow/store/tracking/dbmodels/models.py)."""
    tables = {}
    rows = base.execute("SELECT run_uuid, name, start_time FROM runs WHERE lifecycle_stage IS NULL OR lifecycle_stage = 'active' "
                        "LIMIT ?", (MOST_RUNS,))
    for key, name, started in rows:
        tables[key] = Table(_safe(name, _safe(key)), path, "mlflow", started)
    for key, name, value in _bounded(base.execute("SELECT run_uuid, key, value FROM params"), path):
        if key in tables:
            tables[key].config[name] = _figure(value)
    # Several values of a step: the newest counts.
    rows = base.execute("SELECT run_uuid, key, value, timestamp, step, is_nan FROM metrics ORDER BY timestamp")
    for key, name, value, milliseconds, step, is_nan in _bounded(rows, path):
        if key in tables:
            value = math.nan if is_nan else math.inf if value and value >= 1.7e308 else -math.inf if value and value <= -1.7e308 else value
            tables[key].add(step, name, value, milliseconds or 0)
    return list(tables.values())


def _flat(values, prefix=""):
    """Figures of a record and of those inside of it: {"a": {"b": 1}} is a/b."""
    for key, value in values.items():
        if isinstance(value, dict) and prefix.count("/") < 8:
            yield from _flat(value, f"{prefix}{key}/")
        elif not isinstance(value, bool) and (isinstance(value, (int, float)) or value in ("NaN", "Infinity", "-Infinity")):
            yield prefix + key, value


def _object(text):
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_trackio(base, path):
    """metrics(run_id, run_name, step, timestamp, metrics as JSON) (gradio-app/trackio: trackio/sqlite_storage.py); older files have no run_id."""
    tables = {}
    columns = {row[1] for row in base.execute("PRAGMA table_info(metrics)")}
    key_column = "run_id" if "run_id" in columns else "run_name"
    rows = base.execute(f"SELECT {key_column}, run_name, step, timestamp, metrics FROM metrics ORDER BY rowid")
    for key, name, step, stamp, text in _bounded(rows, path):
        table = tables.get(key)
        if table is None:
            if len(tables) >= MOST_RUNS:
                continue
            table = tables[key] = Table(_safe(name), path, "trackio")
        values = _object(text)
        if values is None:
            table.refused += 1
            continue
        for figure, value in _flat(values):
            table.add(step, figure, value, _milliseconds(stamp))
    known = {row[1] for row in base.execute("PRAGMA table_info(configs)")}
    if {key_column, "config"} <= known:
        for key, text in _bounded(base.execute(f"SELECT {key_column}, config FROM configs"), path):
            if key in tables:
                tables[key].config.update((k, v) for k, v in (_object(text) or {}).items() if not k.startswith("_"))
    return list(tables.values())


def _milliseconds(stamp):
    """Of an ISO time."""
    from datetime import datetime, timezone
    try:
        at = datetime.fromisoformat(str(stamp).replace("Z", "+00:00"))
    except ValueError:
        return 0
    return int((at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp() * 1000)


def read_sqlite(path):
    base = _open_sqlite(path)
    try:
        names = {row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        columns = {row[1] for row in base.execute("PRAGMA table_info(metrics)")}
        if {"runs", "params"} <= names and {"run_uuid", "key", "is_nan"} <= columns:
            return read_mlflow(base, path)
        if {"run_name", "metrics", "step"} <= columns:
            return read_trackio(base, path)
    except sqlite3.Error as problem:
        raise slipway.Error(f"{path} cannot be read: {problem}.") from None
    finally:
        base.close()
    raise slipway.Error(f"{path} is an SQLite file with the tables of neither MLflow nor Trackio.")


def _lines_of(path):
    if os.path.getsize(path) > LONGEST_FILE:
        raise slipway.Error(f"{path} is larger than 1 GiB.")
    # A link would bring in a file from elsewhere.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def read_mlruns(folder):
    """MLflow's file store: EXPERIMENT/RUN/{meta.yaml, metrics/NAME, params/NAME}; a line of a metric is "time value step"."""
    tables = []
    for experiment in sorted(os.scandir(folder), key=lambda e: e.name):
        if not experiment.is_dir(follow_symlinks=False) or experiment.name.startswith("."):
            continue
        for run in sorted(os.scandir(experiment.path), key=lambda e: e.name):
            metrics, meta = os.path.join(run.path, "metrics"), os.path.join(run.path, "meta.yaml")
            if not os.path.isdir(metrics) or not os.path.isfile(meta) or len(tables) >= MOST_RUNS:
                continue
            facts = dict(line.split(": ", 1) for line in _lines_of(meta) if ": " in line)
            if facts.get("lifecycle_stage", "active").strip() != "active":
                continue
            started = facts.get("start_time", "").strip()
            table = Table(_safe(facts.get("run_name", "").strip(" '\""), run.name), folder, "mlflow",
                          int(started) if started.isdecimal() else None)
            for root, _, names in os.walk(metrics):
                for name in names:
                    path = os.path.join(root, name)
                    for line in _lines_of(path):
                        words = line.split()
                        if len(words) in (2, 3):
                            stamp = int(words[0]) if words[0].isdecimal() else 0
                            table.add(words[2] if len(words) == 3 else 0, os.path.relpath(path, metrics), words[1], stamp)
            params = os.path.join(run.path, "params")
            for root, _, names in os.walk(params):
                for name in names:
                    path = os.path.join(root, name)
                    table.config[os.path.relpath(path, params)] = _figure("\n".join(_lines_of(path))[:10000])
            tables.append(table)
    if not tables:
        raise slipway.Error(f"{folder} holds no run of MLflow (EXPERIMENT/RUN/metrics).")
    return tables


def read_parquet(path, columns):
    """Long tables (run_id, attribute_path, step, float_value), as Neptune's exporter writes them, or a column for each figure."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise slipway.Error(f"{path} is a Parquet file, which needs pyarrow: pip install pyarrow.") from None
    try:
        file = pyarrow.parquet.ParquetFile(path)
        if file.metadata.num_rows > MOST_POINTS:
            raise slipway.Error(f"{path} has more than {MOST_POINTS} rows; export fewer runs.")
        names = [columns.get(name, name) for name in file.schema_arrow.names]
        tables = {}
        figure = next((name for name in ("float_value", "value") if name in names), None)
        is_long = figure is not None and "attribute_path" in names and "step" in names
        step_column = next((name for name in names if name.lower() in STEP_COLUMNS), None)
        if not is_long and step_column is None:
            raise slipway.Error(f"{path} has no column of steps ({', '.join(STEP_COLUMNS)}); name it with --map step=COLUMN.")
        title = os.path.splitext(os.path.basename(path))[0]
        run_column = next((name for name in ("run_id", "run", "run_name") if name in names), None)
        for batch in file.iter_batches(batch_size=65536):
            data = dict(zip(names, (batch.column(i).to_pylist() for i in range(len(names)))))
            for row in range(batch.num_rows):
                key = str(data[run_column][row]) if run_column else title
                table = tables.setdefault(key, Table(_safe(key), path, "parquet"))
                if is_long:
                    if data[figure][row] is None or data["step"][row] is None:
                        continue
                    stamp = data["timestamp"][row] if "timestamp" in data else None
                    table.add(data["step"][row], data["attribute_path"][row], data[figure][row], _milliseconds(stamp) if stamp else 0)
                    continue
                for name in names:
                    value = data[name][row]
                    if name not in (step_column, run_column) and isinstance(value, (int, float)) and not isinstance(value, bool):
                        table.add(data[step_column][row], name, value)
        return list(tables.values())
    except (OSError, pyarrow.ArrowException) as problem:
        raise slipway.Error(f"{path} cannot be read: {problem}.") from None


def read_aim(folder):
    """The runs of a repository of Aim. It is a store of RocksDB, which Aim's own package reads."""
    # Removed at the very end: Aim flushes its files there when the program ends.
    copy = tempfile.mkdtemp(prefix="slipway-aim-")
    atexit.register(shutil.rmtree, copy, True)
    try:
        import aim
    except ImportError:
        raise slipway.Error(f"{folder} is a repository of Aim, which needs the package aim: pip install aim.") from None
    tables = []
    try:
        # Aim shows a run that it has not indexed only to who opens it for writing: that is done to a copy.
        shutil.copytree(folder, os.path.join(copy, ".aim"), symlinks=True)
        repo = aim.Repo.from_path(copy)
        hashes = sorted(repo.list_all_runs())
        if len(hashes) > MOST_RUNS:
            raise slipway.Error(f"{folder} holds more than {MOST_RUNS} runs; import a smaller repository.")
        for number in hashes:
            run = aim.Run(number, repo=repo, system_tracking_interval=None, log_system_params=False, capture_terminal_logs=False)
            started = int(1000 * run.creation_time) if run.creation_time else None
            table = Table(_safe(run.name or number), folder, "aim", started)
            given = {key: value for key, value in run[...].items() if not key.startswith("__")}
            parameters = given.pop("hparams", None)
            table.config = {**given, **(parameters if isinstance(parameters, dict) else {})}
            for metric in run.metrics():
                if metric.name.startswith("__system__"):
                    continue  # sampled by time, not by step
                words = "/".join(str(value) for value in metric.context.to_dict().values())
                name = f"{words}/{metric.name}" if words else metric.name
                steps, (values, _, seconds) = metric.data.items_list()
                for step, value, at in zip(steps, values, seconds):
                    table.add(step, name, value, int(1000 * at) if at == at else 0)
            run.close()
            tables.append(table)
    except slipway.Error:
        raise
    except Exception as problem:  # whatever Aim raises on a damaged or newer repository
        raise slipway.Error(f"{folder} cannot be read by the package aim: {problem}.") from None
    return tables


def _wandb_records(file, table):
    """Records of a .wandb file: 7 bytes, then blocks of 32 KiB with parts [u32 CRC-32 of type and bytes][u16 length][u8 type][bytes], where
    type 1 is a whole record, 2 its first, 3 a middle and 4 its last part (wandb/wandb: wandb/sdk/internal/datastore.py)."""
    parts, at = None, 7
    while True:
        left = 32768 - at % 32768
        if left < 7:
            file.seek(left, os.SEEK_CUR)
            at += left
            continue
        frame = file.read(7)
        if len(frame) < 7:
            return
        crc, length, kind = struct.unpack("<IHB", frame)
        body = file.read(length)
        at += 7 + length
        if len(body) < length or 7 + length > left:
            table.refused += 1  # the end of a run that is being written, or was killed
            return
        is_good = zlib.crc32(body, zlib.crc32(frame[6:])) == crc and (kind in (1, 2) or kind in (3, 4) and parts is not None)
        if not is_good or parts is not None and len(parts) + length > LONGEST_RECORD:
            table.refused += 1
            parts = None
        elif kind == 1:
            parts = None
            yield body
        else:
            parts = body if kind == 2 else parts + body
            if kind == 4:
                yield parts
                parts = None


def _fields(message):
    """Number and value of each field of a protobuf message: bytes, or a whole number. ValueError where it is none."""
    at, end = 0, len(message)

    def varint():
        nonlocal at
        value = shift = 0
        while at < end and shift < 70:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
        raise ValueError("a number without an end")

    while at < end:
        key = varint()
        wire = key & 7
        if wire == 0:
            yield key >> 3, varint()
            continue
        length = varint() if wire == 2 else {1: 8, 5: 4}.get(wire, end + 1)
        if length > end - at:
            raise ValueError("a field beyond the end")
        yield key >> 3, message[at: at + length]
        at += length


def _items(message):
    """Name and value of the items (field 1) of a history or a config: {1: key, 2: nested keys, 16: JSON}."""
    for number, item in _fields(message):
        if number != 1 or not isinstance(item, bytes):
            continue
        names, text = [], None
        for inner, value in _fields(item):
            if inner in (1, 2) and isinstance(value, bytes) and value:
                names.append(value.decode("utf-8", "replace"))
            elif inner == 16 and isinstance(value, bytes):
                text = value
        try:
            yield "/".join(names), json.loads(text)
        except (TypeError, ValueError, RecursionError):
            continue


def read_wandb(path):
    """Record {2: history {1: items, 2: {1: step}}, 5: config, 17: run {4: config, 8: name}} (wandb/wandb: wandb/proto/wandb_internal.proto)."""
    table = Table(_safe(os.path.splitext(os.path.basename(path))[0]), path, "wandb")
    with open(path, "rb") as file:
        file.seek(7)
        for record in _wandb_records(file, table):
            try:
                for number, part in _fields(record):
                    if not isinstance(part, bytes):
                        continue
                    if number == 2:
                        step = next((value for inner, value in (f for n, p in _fields(part) if n == 2 and isinstance(p, bytes)
                                                                for f in _fields(p)) if inner == 1), 0)
                        values = dict(_items(part))
                        seconds = values.get("_timestamp", 0)
                        stamp = int(seconds * 1000) if isinstance(seconds, (int, float)) and 0 < seconds < 1e11 else 0
                        for name, value in _flat({key: value for key, value in values.items() if not key.startswith("_")}):
                            table.add(step, name, value, stamp)
                    elif number == 5:
                        table.config.update((k, v) for k, v in _items(part) if not k.startswith("_"))
                    elif number == 17:
                        for inner, value in _fields(part):
                            if inner == 4 and isinstance(value, bytes):
                                table.config.update((k, v) for k, v in _items(value) if not k.startswith("_"))
                            elif inner == 8 and isinstance(value, bytes):
                                table.name = _safe(value.decode("utf-8", "replace"), table.name)
            except ValueError:
                table.refused += 1
    return [table]


def read(path, columns):
    here = sys.modules[__name__]
    if path.startswith(("http://", "https://")):
        return slipway_exports.read_mlflow_server(path, here)
    if os.path.isdir(path):
        for folder in (path, os.path.join(path, ".aim")):
            if os.path.isdir(os.path.join(folder, "meta")) and os.path.isdir(os.path.join(folder, "seqs")):
                return read_aim(folder)
        return read_mlruns(path)
    with open(path, "rb") as file:
        head = file.read(65536)
    if head.startswith(b"SQLite format 3"):
        return read_sqlite(path)
    if head.startswith(b"PAR1"):
        return read_parquet(path, columns)
    if head.startswith(b":W&B\xe1\xbe"):
        return read_wandb(path)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return slipway_exports.read_json(path, here)
    if slipway_exports.is_chart_csv(head.decode("utf-8-sig", "replace").partition("\n")[0]):
        return slipway_exports.read_chart_csv(path, here)
    raise slipway.Error(f"{path} is none of the files that this reads (.wandb, SQLite, Parquet, JSON, a folder of MLflow, the CSV of a chart of "
                        "Weights & Biases); try slipway import.")


# ---- the run folders ----

def write(table, home):
    """Makes the run's folder as a whole; returns its id."""
    runs = os.path.join(home, "runs")
    now = slipway._milliseconds()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now // 1000))
    name = f"{stamp}{now % 1000:03d}-{os.urandom(4).hex()}"
    begin = table.started if isinstance(table.started, int) and table.started > 0 else min(table.times.values(), default=now)
    end = max(table.times.values(), default=begin)
    known, free = slipway._config_of(table.name, table.config, 0)
    os.makedirs(home, mode=0o700, exist_ok=True)
    slipway._make_folder(runs)
    stage = os.path.join(runs, ".new-" + name)
    slipway._make_folder(stage)
    try:
        slipway._write_json(os.path.join(stage, "config.json"), known)
        slipway._write_json(os.path.join(stage, "environment.json"), {"source": slipway._readable(table.source), "config": free})
        slipway._write_json(os.path.join(stage, "meta.json"), {
            "name": table.name, "tags": sorted({"imported", table.tracker}), "notes": "", "archived": False, "locked": False,
            "status": "completed", "attempts": 1, "created_unix_ms": now, "started_unix_ms": begin, "ended_unix_ms": end,
            "reason": slipway._one_line(f"Imported from {table.source} ({table.tracker}).")})
        with open(slipway._open_file(os.path.join(stage, "metrics.jsonl"), os.O_WRONLY), "w", encoding="utf-8") as stream:
            def line(document):
                stream.write(slipway._compact(document) + "\n")
            line({"schema": 1, "kind": "header", "run_id": name, "attempt": 1, "resume_step": 0, "world_size": 0, "time_unix_ms": begin})
            last = 0
            for last in sorted(table.steps):
                values = table.steps[last]
                tokens = values.pop("tokens", 0)
                tokens = int(tokens) if math.isfinite(tokens) and 0 <= tokens < 1 << 62 else 0
                line({"kind": "step", "step": last, "tokens": tokens, "time_unix_ms": table.times.get(last, begin),
                      "values": {key: slipway._number(value) for key, value in values.items()}})
            line({"kind": "end", "status": "completed", "step": last, "exit_code": 0, "time_unix_ms": end})
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(stage, os.path.join(runs, name))
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    return name


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m slipway_import", description=__doc__.split("\n\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="a .wandb, SQLite, Parquet or JSON file, the CSV of a chart of Weights & Biases, a folder mlruns or .aim, or "
                        "the address of a server of MLflow")
    parser.add_argument("--home", help="folder of runs; default: $SLIPWAY_HOME, else $XDG_DATA_HOME/slipway")
    parser.add_argument("--map", default="", metavar="NAME=COLUMN,...", help="columns of a Parquet table under other names: step=iter")
    options = parser.parse_args(arguments)
    columns = {}
    for pair in filter(None, options.map.split(",")):
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            parser.error(f"--map takes NAME=COLUMN, not {pair}")
        columns[theirs] = ours
    try:
        for source in options.sources:
            tables = [table for table in read(source, columns) if table.steps]
            if not tables:
                raise slipway.Error(f"{source} holds no figures by step.")
            for table in tables:
                name = write(table, slipway._home(options.home))
                print(f"{name}  {table.name}, {len(table.steps)} steps")
                if table.refused:
                    print(f"note: values left out of {table.name} (no number, no step or no name): {table.refused}", file=sys.stderr)
    except (slipway.Error, OSError) as problem:
        print(f"slipway_import: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
