"""Record a training run of any Python program as a Slipway run.

    import slipway

    with slipway.init(name="baseline", config={"lr": 3e-4, "num_steps": 1000}) as run:
        for step in range(1, 1001):
            run.log({"loss": train_step()}, step=step)

The run is a folder under $SLIPWAY_HOME (docs/run_folder.md), so `slipway runs`, `slipway logs` and the window follow it live.
Nothing else is needed: no server, no account, no package. docs/python.md is the guide.
"""
import atexit
import fcntl
import hashlib
import json
import math
import operator
import os
import platform
import re
import shutil
import socket
import sys
import threading
import time
import traceback
import warnings

__version__ = "0.17.0"  # the first heading of CHANGELOG.md
__all__ = ["Error", "Run", "init", "log", "event", "finish"]  # and, made on demand, SlipwayCallback and SlipwayLogger

LONGEST_NAME = 200  # characters (core/base/untrusted_text.h)
LONGEST_LINE = (1 << 20) - 1  # bytes of a line of the stream (core/metrics/metric_reader.h)
LONGEST_DETAIL = 4000  # characters of an event's detail
MOST_WAITING = 10000  # lines that a rank keeps until it has found the run of rank 0
NODE = "local"  # the folder below agent/ of a run that was started on this computer
OUT_OF_MEMORY, STOPPED, KILLED = 11, 14, 128 + 9  # exit codes with a meaning of their own (core/spec/run_dir.h)

# Names that Hugging Face's Trainer and Lightning give to figures of the store, all in the same unit (core/interop/log_aliases.cpp).
NAMES = {
    "train/loss": "loss", "train_loss": "loss", "train_loss_step": "loss", "loss/train": "loss",
    "eval/loss": "eval_loss", "val_loss": "eval_loss", "val/loss": "eval_loss", "validation_loss": "eval_loss",
    "eval_runtime": "eval_seconds", "eval/runtime": "eval_seconds",
    "learning_rate": "lr", "train/learning_rate": "lr", "train/lr": "lr",
    "train/grad_norm": "grad_norm", "grad_2.0_norm_total": "grad_norm",
    "num_input_tokens_seen": "tokens", "train/num_input_tokens_seen": "tokens", "consumed_tokens": "tokens",
}
LEARNING_RATE = re.compile(r"lr-[A-Za-z0-9]+\Z")  # Lightning's LearningRateMonitor: lr-AdamW
# Figures of a rank's own health line, and their names there (trainer/telemetry/metric_writer.cpp).
HEALTH = {
    "step_seconds": "step_seconds", "memory_rss_bytes": "rss_bytes", "memory_peak_bytes": "tensor_peak_bytes",
    "memory_allocated_bytes": "tensor_bytes", "device_clock_hertz": "device_clock_hertz",
    "device_power_watts": "device_power_watts", "device_temperature_celsius": "device_temperature_celsius",
    "device_memory_used_bytes": "device_memory_used_bytes",
}
# Fields of config.json that this module writes: least and greatest value, and other names of the same figure. Everything else
# that a program calls its config is kept as it is in environment.json.
FIELDS = {
    "model.num_layers": (1, 10000, "num_layers", "num_hidden_layers", "n_layer"),
    "model.hidden_size": (1, 1000000, "hidden_size", "n_embd"),
    "model.ffn_hidden_size": (1, 10000000, "ffn_hidden_size", "intermediate_size"),
    "model.num_heads": (1, 4096, "num_heads", "num_attention_heads", "n_head"),
    "model.num_kv_heads": (1, 4096, "num_kv_heads", "num_key_value_heads"),
    "model.vocab_size": (2, 10000000, "vocab_size"),
    "train.seq_len": (1, 100000000, "seq_len"),
    "train.global_batch_size": (1, 100000000, "global_batch_size"),
    "train.micro_batch_size": (1, 1000000, "micro_batch_size", "per_device_train_batch_size"),
    "train.num_steps": (1, 1000000000, "num_steps", "max_steps"),
    "train.seed": (0, 1 << 53, "seed"),
    "optimizer.lr": (0.0, 1000.0, "lr", "learning_rate"),
    "optimizer.weight_decay": (0.0, 10.0, "weight_decay"),
    "optimizer.clip_norm": (0.0, 1e9, "clip_norm", "max_grad_norm", "gradient_clip_val"),
    "parallel.dp": (1, 1000000, "dp"),
    "parallel.tp": (1, 1024, "tp"),
    "parallel.pp": (1, 1024, "pp"),
    "parallel.cp": (1, 1024, "cp"),
}
SECRET = re.compile(r"(^|[_.-])(password|passwd|secret|token|(api|access|private)_?key|credentials?)\Z", re.I)
PUBLIC_TOKEN = re.compile(r"(^|_)(bos|eos|pad|unk|sep|cls|mask|image|audio)_token\Z", re.I)


class Error(RuntimeError):
    """What cannot be recorded, and what to do about it, in a sentence or two."""


# ---- texts and numbers ----

def _steers(character):
    """Control characters, direction marks and halves of surrogate pairs: none of them belongs into a name."""
    code = ord(character)
    return (code < 0x20 or 0x7F <= code <= 0x9F or code in (0x061C, 0x200E, 0x200F) or 0x202A <= code <= 0x202E
            or 0x2066 <= code <= 0x2069 or 0xD800 <= code <= 0xDFFF)


def _checked(text, field):
    """The name or tag, or an Error."""
    if not isinstance(text, str):
        raise Error(f"{field} must be a text, not {type(text).__name__}.")
    bad = next((c for c in text if _steers(c)), None)
    if bad is not None:
        raise Error(f"{field} contains the control character U+{ord(bad):04X}; remove it.")
    if len(text) > LONGEST_NAME:
        raise Error(f"{field} has {len(text)} characters; shorten it to {LONGEST_NAME}.")
    return text


def _readable(text):
    """Text that UTF-8 can hold."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _one_line(text):
    line = " ".join(_readable(text).split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"


def _number(value):
    """A finite number as it is, the others as the stream writes them."""
    if math.isfinite(value):
        return value
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def _plain(value, depth=0):
    """What JSON can hold of a value: numbers, texts, lists and objects; anything else as its text. Secrets are left out."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict) and depth < 20:
        return {_readable(key): "(hidden)" if _is_secret(key, item) else _plain(item, depth + 1)
                for key, item in value.items()}
    if isinstance(value, (list, tuple, set)) and depth < 20:
        return [_plain(item, depth + 1) for item in value]
    return _readable(value)


def _is_secret(key, value):
    return isinstance(value, str) and bool(SECRET.search(str(key))) and not PUBLIC_TOKEN.search(str(key))


_compact = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def _milliseconds():
    return time.time_ns() // 1000000


# ---- this computer ----

def _text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _start_ticks(pid):
    """When a process started, in ticks since the computer did; 0 when it is gone."""
    fields = _text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else 0


def _identity():
    """Whose /proc shows this process (core/process/host_identity.h)."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return {"host": socket.gethostname(), "boot_id": _text_of("/proc/sys/kernel/random/boot_id"),
            "pid_namespace": space, "pid": os.getpid(), "start_ticks": _start_ticks(os.getpid())}


def _program():
    return _readable(os.path.basename(sys.argv[0] if sys.argv else ""))


def _home(given):
    folder = given or os.environ.get("SLIPWAY_HOME")
    if not folder:
        folder = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "slipway")
    return os.path.abspath(folder)


def _is_shared(mode):
    """A folder that new things share with its group (setgid): then the umask does not count."""
    return mode & 0o2077 == 0o2070


def _make_folder(path):
    """A new folder is as open as the one it is in."""
    mode = os.stat(os.path.dirname(path)).st_mode & 0o2777
    try:
        os.mkdir(path, mode & 0o777)
    except FileExistsError:
        return
    if _is_shared(mode):
        os.chmod(path, mode)


def _open_file(path, flags):
    """Opens a file that may be new; a new one is as open as its folder."""
    mode = os.stat(os.path.dirname(path)).st_mode & 0o2777
    is_new = not os.path.exists(path)
    descriptor = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, mode & 0o666)
    if is_new and _is_shared(mode):
        os.fchmod(descriptor, mode & 0o666)
    return descriptor


def _write_json(path, document, flush=True):
    """Replaces the file as a whole."""
    part = f"{path}.{os.getpid()}.part"
    with open(_open_file(part, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
        if flush:
            file.flush()
            os.fsync(file.fileno())
    os.replace(part, path)


class _Appender:
    """A file that grows by whole lines, each in one write. Until it has its path, it keeps them."""

    def __init__(self, path=None):
        self._descriptor, self._waiting, self._torn, self._closed = -1, [], False, False
        self._lock = threading.Lock()
        self.lost = 0
        if path:
            self.open(path)

    def open(self, path):
        _make_folder(os.path.dirname(path))
        with self._lock:
            descriptor = _open_file(path, os.O_RDWR | os.O_APPEND)
            size = os.fstat(descriptor).st_size
            self._torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            self._descriptor = descriptor
            for line in self._waiting:
                self._append(line)
            self._waiting = []

    def write(self, line):
        if self._descriptor >= 0:
            self._append(line)
            return
        with self._lock:
            if self._descriptor >= 0:
                self._append(line)
            elif not self._closed and len(self._waiting) < MOST_WAITING:
                self._waiting.append(line)
            else:
                self.lost += 1

    def _append(self, line):
        # After half a line, for which there was no room, a new line begins.
        data = b"\n" + line if self._torn else line
        try:
            short = os.write(self._descriptor, data) < len(data)
        except OSError as problem:
            self.lost += 1
            if self.lost == 1:
                warnings.warn(f"Slipway cannot write the run: {problem.strerror}. Training continues.", stacklevel=4)
            return
        self._torn = short
        self.lost += short

    def close(self):
        with self._lock:
            descriptor, self._descriptor, self._closed = self._descriptor, -1, True
            self.lost += len(self._waiting)
            self._waiting = []
        if descriptor >= 0:
            try:
                os.fsync(descriptor)
            except OSError:
                pass  # a file system without it
            os.close(descriptor)


class _Copy:
    """sys.stdout or sys.stderr, and a copy of what is printed in the rank's log."""

    def __init__(self, stream, log):
        self._stream, self._log = stream, log

    def write(self, text):
        self._log.write(_readable(text).encode())
        return self._stream.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)


# ---- a run ----

class Run:
    """One run, as one process sees it: rank 0 writes the run's stream, every other rank its own. Made by init()."""

    def __init__(self, name, tags, notes, config, home, rank, world_size, capture, launched=None):
        self.rank, self.world_size, self.name = rank, world_size, name
        self.id, self.folder = None, None
        self._runs = os.path.join(home, "runs")
        self._stream, self._health, self._logs = _Appender(), _Appender(), _Appender()
        self._step, self._tokens, self._names = 0, 0, {}
        self._stop, self._next_look, self._counter = False, 0.0, 0
        self._started, self._ended, self._found = _milliseconds(), threading.Event(), threading.Event()
        self._identity, self._lock = _identity(), None
        self._meeting = os.path.join(self._runs, ".ranks-" + _name_of_start(world_size))  # names rank 0's run to the others
        self._launched, self._header_due, self._listens = launched, False, False
        if launched:
            self._join(config)
            self._copies = []  # the agent keeps what is printed
            return
        if rank == 0:
            self._create(name, tags, notes, config)
        threading.Thread(target=self._work if rank == 0 else self._find, name="slipway", daemon=True).start()
        self._copies = self._capture() if capture else []

    def log(self, values, step=None, tokens=None):
        """Records figures of a step: {"loss": 2.1}. Names of the store are kept, those of other trainers become them (NAMES).
        Without `step` it is the next one. `tokens` is the total that the run has seen so far. NaN and infinity are recorded."""
        if self._ended.is_set():
            raise Error("The run has ended; start another with slipway.init().")
        if step is None:
            step = self._step + 1
        else:
            try:
                step = operator.index(step)
            except TypeError:
                raise Error(f"step must be a whole number, not {step!r}.") from None
            if not 0 <= step < 1 << 63:
                raise Error(f"step is {step}; steps are 0 or more.")
        names, out, health = self._names, {}, {}
        for name, value in values.items():
            ours = names.get(name) or self._known(name)
            if type(value) is not float:
                value = self._figure(name, value)
            if ours == "tokens":
                tokens = value
                continue
            value = value if math.isfinite(value) else _number(value)
            out[ours] = value
            if ours in HEALTH:
                health[HEALTH[ours]] = value
        if tokens is not None:
            if not (math.isfinite(tokens) and 0 <= tokens < 1 << 63):
                raise Error(f"tokens is {tokens}; it is the number of tokens that the run has seen so far.")
            self._tokens = int(tokens)
        now = time.time_ns() // 1000000
        if self._header_due:
            self._begin_attempt(max(step - 1, 0))
        if self.rank == 0:
            self._put('{"kind":"step","step":%d,"tokens":%d,"time_unix_ms":%d,"values":%s}\n'
                      % (step, self._tokens, now, _compact(out)))
        if self.rank != 0 or health:
            health.update(kind="health", step=step, time_unix_ms=now)
            if self.rank != 0:
                health["values"] = out
            self._put(_compact(health) + "\n", self._health)
        self._step = step

    def event(self, name, detail="", step=None):
        """Records that something happened at a step (by default the newest): an evaluation, a rewind, a restart."""
        if self._ended.is_set():
            raise Error("The run has ended; start another with slipway.init().")
        detail = _readable(detail)
        detail = detail if len(detail) <= LONGEST_DETAIL else detail[: LONGEST_DETAIL - 1] + "…"
        line = {"kind": "event", "step": self._step if step is None else operator.index(step),
                "name": _checked(name, "The name of the event"), "detail": detail, "time_unix_ms": _milliseconds()}
        self._put(_compact(line) + "\n", self._stream if self.rank == 0 else self._health)

    @property
    def stop_requested(self):
        """Whether `slipway stop` or the window asked for a stop: save a checkpoint, leave the loop, and the run is cancelled."""
        if self._launched and not self._listens:
            self._listens = True
            self._mark("listens")  # the agent then leaves it to this program to stop
        if not self._stop and self.folder and time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + 0.2
            self._stop = os.path.exists(os.path.join(self.folder, "control", "stop"))
        return self._stop

    def finish(self, status=None, reason="", exit_code=None):
        """Ends the run: "completed" ("cancelled" when stop_requested was true), "failed" or "cancelled", with a reason."""
        if self._ended.is_set():
            return
        status = status or ("cancelled" if self._stop else "completed")
        if status not in ("completed", "failed", "cancelled"):
            raise Error(f'status is "{status}"; it must be completed, failed or cancelled.')
        failed_rank = self.rank
        if status == "completed" and self.rank == 0:
            failed_rank, status, reason = self._failed_rank(status, reason)
        if exit_code is None:
            exit_code = {"completed": 0, "failed": 1, "cancelled": STOPPED}[status]
        if self.rank != 0:
            self._found.wait(5)  # its lines have no file yet
        self._ended.set()
        for channel, copy in self._copies:
            if getattr(sys, channel) is copy:
                setattr(sys, channel, copy._stream)
        reason = _one_line(reason)
        line = {"kind": "end", "status": status, "step": self._step, "exit_code": exit_code,
                "time_unix_ms": _milliseconds()}
        (self._stream if self.rank == 0 else self._health).write((_compact(line) + "\n").encode())
        for file in (self._stream, self._health, self._logs):
            file.close()
        lost = self._stream.lost + self._health.lost
        if lost:
            run = self.id or "of rank 0, which was not found,"
            warnings.warn(f"{lost} lines of the Slipway run {run} were not written.", stacklevel=2)
        if self in _open_runs:
            _open_runs.remove(self)
        if self.folder:
            try:
                self._leave_record(status, reason, exit_code, failed_rank)
            except OSError as problem:
                warnings.warn(f"The end of the Slipway run was not recorded: {problem.strerror}.", stacklevel=2)

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if isinstance(problem, Exception) and self._copies:  # what Python prints after the end of the run
            self._logs.write(_readable("".join(traceback.format_exception(kind, problem, trace))).encode())
        self.finish(*_verdict(problem))

    # -- what follows is the folder --

    def _put(self, text, file=None):
        line = text.encode()
        if len(line) > LONGEST_LINE:
            raise Error(f"A line of {len(line)} bytes cannot be stored; log fewer figures at once.")
        (file or self._stream).write(line)

    def _known(self, name):
        """The store's name of a figure; checked once."""
        _checked(name, "The name of a figure")
        ours = NAMES.get(name) or ("lr" if LEARNING_RATE.match(name) else name)
        if not ours or ours == "time_unix_ms":
            raise Error(f'A figure cannot have the name "{ours}"; choose another.')
        self._names[name] = ours
        return ours

    @staticmethod
    def _figure(name, value):
        if not isinstance(value, (str, bytes)):
            try:
                return float(value)  # numbers of numpy and torch, too; a tensor on a GPU waits for it
            except (TypeError, ValueError, OverflowError):
                pass
        raise Error(f'"{name}" is {type(value).__name__}; run.log takes numbers, run.event takes texts.')

    def _create(self, name, tags, notes, config):
        """Makes the folder under another name first, so that nobody ever sees a part of it."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._started // 1000))
        self.id = f"{stamp}{self._started % 1000:03d}-{os.urandom(4).hex()}"
        stage, folder = os.path.join(self._runs, ".new-" + self.id), os.path.join(self._runs, self.id)
        agent = os.path.join(stage, "agent", NODE)
        version, started = "python " + __version__, self._started
        record = {"run_id": self.id, "attempt": 1, "node": NODE, "slipway_version": version, "started_unix_ms": started}
        rank = {"rank": 0, "local_rank": 0, "arguments": ["python3"], "environment": []}
        header = {"schema": 1, "kind": "header", "run_id": self.id, "attempt": 1, "resume_step": 0,
                  "world_size": self.world_size, "time_unix_ms": started}
        known, free = _config_of(name, config, self.world_size)
        environment = {"program": _program(), "python": platform.python_version(), "platform": platform.platform(),
                       "slipway_python": __version__, "config": free}
        try:
            home = os.path.dirname(self._runs)
            os.makedirs(os.path.dirname(home), exist_ok=True)
            try:
                os.mkdir(home, 0o700)
            except FileExistsError:
                pass  # it keeps its mode
            for path in (self._runs, stage, os.path.dirname(agent), agent, os.path.join(stage, "control")):
                _make_folder(path)
            _write_json(os.path.join(stage, "config.json"), known)
            _write_json(os.path.join(stage, "environment.json"), environment)
            _write_json(os.path.join(stage, "launch.json"), {
                "run_id": self.id, "attempt": 1, "launcher": "local", "slipway_version": version,
                "created_unix_ms": started, "nodes": [{"node": NODE, "ranks": [rank]}]})
            _write_json(os.path.join(stage, "meta.json"), {
                "name": name, "tags": tags, "notes": notes, "archived": False, "locked": False, "status": "running",
                "attempts": 1, "created_unix_ms": started, "started_unix_ms": started})
            self._stream.open(os.path.join(stage, "metrics.jsonl"))
            self._put(_compact(header) + "\n")
            if config:
                self.event("config", _compact(free), 0)
            self._lock = _open_file(os.path.join(agent, "lock"), os.O_RDWR)
            try:  # other computers see by it that this process exists
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                pass  # a file system without locks: they have the heartbeat
            _write_json(os.path.join(agent, "id.json"), dict(record, **self._identity))
            self.folder = stage
            self._beat()
            self._open_rank_files()
            os.rename(stage, folder)
            self.folder = folder
            if self.world_size > 1:
                self._announce()
        except OSError as problem:
            shutil.rmtree(stage, ignore_errors=True)
            raise Error(f"The run cannot be made in {self._runs}: {problem.strerror}. Set SLIPWAY_HOME or home= to a "
                        "folder that can be written.") from None

    def _join(self, config):
        """Records into the run that `slipway launch -- ...` has started this program for: its agent sees to the rest."""
        self.folder, self.id = self._launched, os.environ["SLIPWAY_RUN_ID"]
        try:
            if self.rank != 0:
                self._health.open(os.path.join(self.folder, "ranks", f"rank_{self.rank:05d}.jsonl"))
                return
            self._mark("recorded")
            stream = os.path.join(self.folder, "metrics.jsonl")
            self._header_due = os.path.exists(stream) and os.path.getsize(stream) > 0
            self._stream.open(stream)
            self._health.open(os.path.join(self.folder, "ranks", "rank_00000.jsonl"))
            if not self._header_due:
                self._begin_attempt(0)
            if config:
                with open(os.path.join(self.folder, "config.json"), encoding="utf-8") as file:
                    name = json.load(file)["name"]
                known, free = _config_of(name, config, self.world_size)
                _write_json(os.path.join(self.folder, "config.json"), known)
                path = os.path.join(self.folder, "environment.json")
                with open(path, encoding="utf-8") as file:
                    environment = json.load(file)
                environment.update({"python": platform.python_version(), "platform": platform.platform(),
                                    "slipway_python": __version__, "config": free})
                _write_json(path, environment)
                self.event("config", _compact(free), 0)
        except (OSError, ValueError, KeyError) as problem:
            raise Error(f"The run in {self.folder} cannot be recorded: {problem}.") from None

    def _begin_attempt(self, resume_step):
        """Steps of earlier attempts behind this one are superseded."""
        self._header_due = False
        if self.rank == 0:
            self._put(_compact({"schema": 1, "kind": "header", "run_id": self.id, "attempt": _attempt(),
                                "resume_step": resume_step, "world_size": self.world_size,
                                "time_unix_ms": self._started}) + "\n")

    def _mark(self, name):
        control = os.path.join(self.folder, "control")
        try:
            _make_folder(control)
            os.close(_open_file(os.path.join(control, name), os.O_WRONLY))
        except OSError:
            pass  # a full disk: the agent does as for any program

    def _open_rank_files(self):
        self._health.open(os.path.join(self.folder, "ranks", f"rank_{self.rank:05d}.jsonl"))
        self._logs.open(os.path.join(self.folder, "logs", f"rank_{self.rank:05d}.log"))

    def _announce(self):
        for entry in list(os.scandir(self._runs)):  # of starts that have long found each other
            if entry.name.startswith(".ranks-") and entry.stat().st_mtime < time.time() - 24 * 3600:
                os.unlink(entry.path)
        _write_json(self._meeting, {"run_id": self.id, "time_unix_ms": _milliseconds()})

    def _work(self):
        """Rank 0's thread: a sign of life each second, and an end at once when it is asked for."""
        while not self._ended.wait(1.0):
            try:
                self._beat()
                if not os.path.exists(os.path.join(self.folder, "control", "kill")):
                    continue
            except OSError:
                continue  # a full disk or a deleted folder; the next second may be better
            self.finish("cancelled", "Ended on request", KILLED)
            os.kill(os.getpid(), 9)

    def _state(self, state="running", exit_code=None):
        out = {"rank": 0, "pid": self._identity["pid"], "start_ticks": self._identity["start_ticks"], "state": state}
        return out if exit_code is None else dict(out, exit_code=exit_code, ended_unix_ms=_milliseconds())

    def _beat(self):
        self._counter += 1
        seconds = float((_text_of("/proc/uptime") or "0").split()[0])
        _write_json(os.path.join(self.folder, "agent", NODE, "heartbeat.json"), {
            "attempt": 1, "node": NODE, "counter": self._counter, "boot_seconds": seconds,
            "time_unix_ms": _milliseconds(), "ranks": [self._state()], "note": ""}, flush=False)

    def _failed_rank(self, status, reason):
        """A run is not completed when another rank of it has failed: that rank, "failed" and its reason."""
        for rank in range(1, self.world_size if self.folder and not self._launched else 0):
            text = _text_of(os.path.join(self.folder, "agent", NODE, f"error_{rank:05d}.json"))
            if text:
                return rank, "failed", json.loads(text)["message"]
        return 0, status, reason

    def _leave_record(self, status, reason, exit_code, failed_rank):
        if self._launched:
            path = os.path.join(self.folder, "agent", os.environ.get("SLIPWAY_NODE", NODE), "error_00000.json")
            if status == "failed" and not os.path.exists(path):  # the agent knows one process; the first rank to fail tells
                _write_json(path, {"rank": 0, "code": "python", "time_unix_ms": _milliseconds(),
                                   "message": reason if self.rank == 0 else f"rank {self.rank}: {reason}"})
            return
        agent = os.path.join(self.folder, "agent", NODE)
        if status == "failed" and failed_rank == self.rank:
            _write_json(os.path.join(agent, f"error_{self.rank:05d}.json"), {
                "rank": self.rank, "code": "python", "message": reason, "exit_code": exit_code,
                "time_unix_ms": _milliseconds()})
        if self.rank != 0:
            return
        cause = {"completed": "completed", "failed": "rank_failed",
                 "cancelled": "killed" if exit_code == KILLED else "stopped"}[status]
        record = {"run_id": self.id, "attempt": 1, "node": NODE, "code": exit_code, "reason": cause, "detail": reason,
                  "started_unix_ms": self._started, "ended_unix_ms": _milliseconds(),
                  "ranks": [self._state("exited", exit_code)]}
        if status == "failed":
            record.update(first_failed_rank=failed_rank,
                          detail=f"Rank {failed_rank} failed: {reason}" if reason else f"Rank {failed_rank} failed")
        elif status == "cancelled" and not reason:
            record["detail"] = "Stopped on request" if self._stop else "Cancelled by the program"
        _write_json(os.path.join(agent, "exit.json"), record)
        os.close(self._lock)

    def _find(self):
        """Another rank's thread: waits for rank 0 to have made the run, and gives its lines a file there."""
        seen = {}
        while not self._ended.wait(0.1):
            try:
                with open(self._meeting, encoding="utf-8") as file:
                    meeting = json.load(file)
                folder = os.path.join(self._runs, str(meeting["run_id"]))
                if not self._is_of_this_start(folder, meeting, seen):
                    continue
                self.id, self.folder = meeting["run_id"], folder
                self._open_rank_files()
                self._found.set()
                return
            except (OSError, ValueError, KeyError):
                continue

    def _is_of_this_start(self, folder, meeting, seen):
        """The file may be left from an earlier start: rank 0 must have made it after this one began, or be alive."""
        if meeting["time_unix_ms"] >= self._started:
            return True
        with open(os.path.join(folder, "agent", NODE, "id.json"), encoding="utf-8") as file:
            other = json.load(file)
        if all(other[key] == self._identity[key] for key in ("host", "boot_id", "pid_namespace")):
            return _start_ticks(other["pid"]) == other["start_ticks"]
        with open(os.path.join(folder, "agent", NODE, "heartbeat.json"), encoding="utf-8") as file:
            counter = json.load(file)["counter"]
        return seen.setdefault(folder, counter) != counter  # another computer: its heart beats

    def _capture(self):
        copies = []
        for channel in ("stdout", "stderr"):
            if getattr(sys, channel) is not None:
                copies.append((channel, _Copy(getattr(sys, channel), self._logs)))
                setattr(sys, channel, copies[-1][1])
        return copies


# ---- this process ----

_open_runs = []  # of this process, the newest last
_first_problem = []  # the exception that ends the process
_runs_made = 0


def _name_of_start(world_size):
    """The same for all ranks of one start of a program, and another for each run that it makes."""
    global _runs_made
    _runs_made += 1
    known = [os.environ.get(key, "") for key in ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID",
                                                 "TORCHELASTIC_RESTART_COUNT", "SLURM_JOB_ID", "SLURM_STEP_ID")]
    parent = "" if known[0] else os.getppid()
    return hashlib.sha256(repr((_runs_made, world_size, known, parent)).encode()).hexdigest()[:16]


def _verdict(problem):
    """Status, reason and exit code of a run that ended with this exception, or without one."""
    if problem is None or (isinstance(problem, SystemExit) and problem.code in (None, 0)):
        return None, "", None
    if isinstance(problem, KeyboardInterrupt):
        return "cancelled", "Interrupted from the keyboard", None
    kind = type(problem).__name__
    code = OUT_OF_MEMORY if isinstance(problem, MemoryError) or kind == "OutOfMemoryError" else 1
    return "failed", f"{kind}: {problem}" if str(problem) else kind, code


def _watch_the_end():
    """An exception that nobody catches and sys.exit() with an error tell atexit how the program ended."""
    earlier_hook, earlier_exit = sys.excepthook, sys.exit

    def hook(kind, problem, trace):
        _first_problem[:] = [problem]
        earlier_hook(kind, problem, trace)

    def exit(code=None):
        if threading.current_thread() is threading.main_thread():
            _first_problem[:] = [SystemExit(code)]
        earlier_exit(code)

    sys.excepthook, sys.exit = hook, exit
    atexit.register(_finish_all)


def _finish_all():
    for run in list(_open_runs):
        if run._identity["pid"] == os.getpid():  # a forked child leaves the run to its parent
            run.finish(*_verdict(_first_problem[0] if _first_problem else None))


def _config_of(name, config, world_size):
    """What config.json can hold of a program's own config, and all of it without secrets."""
    config = config if isinstance(config, dict) else dict(vars(config)) if config is not None else {}
    known = {"schema": 1, "name": name, "partial": True}  # a field that is not there is not known
    for path, (least, most, *others) in FIELDS.items():
        section, key = path.split(".")
        nested = config.get(section)
        said = [nested.get(key)] if isinstance(nested, dict) else []
        said += [config.get(other) for other in (path, *others)]
        value = next((v for v in said if type(v) in (int, type(least)) and least <= v <= most), None)
        if value is not None:
            known.setdefault(section, {})[key] = value
    parallel = known.get("parallel", {})
    if world_size == 1:
        parallel = known["parallel"] = dict({axis: 1 for axis in ("dp", "tp", "pp", "cp")}, **parallel)
    if all(axis in parallel for axis in ("tp", "pp", "cp")):
        parallel.setdefault("dp", max(1, world_size // (parallel["tp"] * parallel["pp"] * parallel["cp"])))
    return known, _plain(config)


def _attempt():
    text = os.environ.get("SLIPWAY_ATTEMPT", "")
    return int(text) if text.isdecimal() else 1


_recording = []  # the lock of the run that this process was launched for


def _launched_folder(home, rank):
    """The folder of the run that `slipway launch -- ...` has started this program for: the first run of its rank 0."""
    folder = os.environ.get("SLIPWAY_RUN")
    if home is not None or _runs_made or not folder or not os.environ.get("SLIPWAY_RUN_ID"):
        return None
    if not os.path.isfile(os.path.join(folder, "launch.json")):
        return None
    if rank != 0:
        return folder
    try:
        _make_folder(os.path.join(folder, "control"))
        descriptor = _open_file(os.path.join(folder, "control", "recorder"), os.O_RDWR)
    except OSError as problem:
        raise Error(f"The run in {folder} cannot be recorded: {problem.strerror}.") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None  # another program of the same launch records it; this one's run is its own
    except OSError:
        pass  # a file system without locks
    _recording.append(descriptor)
    return folder


def _of_environment(given, key, default):
    text = os.environ.get(key, "") if given is None else str(given)
    if not text:
        return default
    if not text.isdecimal() or int(text) >= 1 << 31:
        raise Error(f'{key} is "{text}"; it must be a whole number.')
    return int(text)


def init(name=None, project=None, config=None, tags=(), notes="", home=None, rank=None, world_size=None, capture=True):
    """Starts a run. `project` becomes a tag. `config` is kept whole; figures with a meaning for Slipway (FIELDS) become the run's
    fields. Rank and world size come from RANK and WORLD_SIZE. `capture`: what is printed is copied to the run's log."""
    rank = _of_environment(rank, "RANK", 0)
    world_size = max(_of_environment(world_size, "WORLD_SIZE", 1), 1)
    if rank >= world_size:
        raise Error(f"RANK is {rank} and WORLD_SIZE {world_size}; the rank must be below the world size.")
    if name is None:
        name = project or "".join(c for c in os.path.splitext(_program())[0] if not _steers(c))[:LONGEST_NAME] or "python"
    name = _checked(name, "name")
    tags = [_checked(tag, "A tag") for tag in ([project] if project else []) + list(tags)]
    if not _open_runs and not _runs_made:
        _watch_the_end()
    launched = _launched_folder(home, rank)
    run = Run(name, tags, _readable(notes), config, _home(home), rank, world_size, capture, launched)
    _open_runs.append(run)
    return run


def _current():
    if not _open_runs:
        raise Error("There is no run; start one with slipway.init().")
    return _open_runs[-1]


def log(values, step=None, tokens=None):
    """Run.log() of the newest run."""
    _current().log(values, step, tokens)


def event(name, detail="", step=None):
    """Run.event() of the newest run."""
    _current().event(name, detail, step)


def finish(status=None, reason=""):
    """Run.finish() of the newest run."""
    _current().finish(status, reason)


# ---- other libraries: their classes are made when they are first asked for ----

def _numbers(values):
    """The figures of a library's record; it may hold texts besides."""
    out = {}
    for name, value in values.items():
        if not isinstance(value, (str, bytes)):
            try:
                out[name] = float(value)
            except (TypeError, ValueError):
                pass
    return out


def _huggingface():
    from transformers import TrainerCallback

    class SlipwayCallback(TrainerCallback):
        """Trainer(callbacks=[slipway.SlipwayCallback()]). Takes the arguments of init(). The run ends with the program, with
        slipway.finish() or with the next train(), so that evaluate() after train() is recorded, too."""

        def __init__(self, **arguments):
            self._arguments, self.run = arguments, None
            self._begun, self._seconds, self._steps = 0.0, 0.0, 0

        def on_train_begin(self, args, state, control, model=None, **_):
            if self.run:
                self.run.finish()
            config = dict(args.to_dict())
            shape = getattr(model, "config", None)
            config.update(shape.to_dict() if hasattr(shape, "to_dict") else {})
            sequences = args.train_batch_size * args.gradient_accumulation_steps * args.world_size
            config.update({"max_steps": state.max_steps, "global_batch_size": sequences})
            config.update(self._arguments.get("config", {}))
            given = {"name": getattr(args, "run_name", None), "rank": args.process_index, "world_size": args.world_size}
            self.run = init(**dict(given, **dict(self._arguments, config=config)))

        def on_step_begin(self, args, state, control, **_):
            self._begun = time.monotonic()

        def on_step_end(self, args, state, control, **_):
            self._seconds, self._steps = self._seconds + time.monotonic() - self._begun, self._steps + 1
            if self.run and self.run.stop_requested:
                control.should_save = control.should_training_stop = True
            return control

        def on_log(self, args, state, control, logs=None, **_):
            if not self.run or not logs:
                return
            values = _numbers(logs)
            # At the end Trainer logs the mean loss of all steps as train_loss: that is no point of the curve.
            if "train_runtime" in values and "train_loss" in values:
                values["mean_train_loss"] = values.pop("train_loss")
            if "loss" in values and self._steps:
                values["step_seconds"] = self._seconds / self._steps
                self._seconds, self._steps = 0.0, 0
            self.run.log(values, step=state.global_step)

    return SlipwayCallback


def _lightning():
    try:
        from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
        from lightning.pytorch.utilities.rank_zero import rank_zero_only
    except ImportError:
        from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment
        from pytorch_lightning.utilities.rank_zero import rank_zero_only

    class SlipwayLogger(Logger):
        """Trainer(logger=slipway.SlipwayLogger()). Takes the arguments of init(). The run begins with the first figure and ends
        with the program, with slipway.finish() or with a failure."""

        def __init__(self, **arguments):
            super().__init__()
            self._arguments, self._run, self._config = arguments, None, dict(arguments.get("config", {}))

        @property
        @rank_zero_experiment
        def experiment(self):
            if self._run is None:
                self._run = init(**dict(self._arguments, config=self._config))
            return self._run

        @property
        def name(self):
            return self._arguments.get("name") or "slipway"

        @property
        def version(self):
            return self.experiment.id

        @rank_zero_only
        def log_hyperparams(self, params, *_, **__):
            params = params if isinstance(params, dict) else vars(params)
            self._config.update(params)
            if self._run is not None:
                self._run.event("config", _compact(_plain(params)))

        @rank_zero_only
        def log_metrics(self, metrics, step=None):
            self.experiment.log(_numbers(metrics), step)

        @rank_zero_only
        def finalize(self, status):
            if self._run is not None and status == "failed":
                self._run.finish(*_verdict(sys.exc_info()[1] or RuntimeError("Lightning's trainer failed")))

    return SlipwayLogger


def __getattr__(name):
    makers = {"SlipwayCallback": _huggingface, "SlipwayLogger": _lightning}
    if name not in makers:
        raise AttributeError(f"module 'slipway' has no attribute '{name}'")
    globals()[name] = makers[name]()
    return globals()[name]
