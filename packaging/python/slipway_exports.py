"""What other trackers hand out over the network or as text, for slipway_import: MLflow's server (REST) and the tables that people
export from Weights & Biases (rows of Api().run().history() as JSON, and the CSV of a chart).
"""
import base64
import csv
import json
import os
import urllib.error
import urllib.parse
import urllib.request

import slipway

LONGEST_ANSWER = 64 << 20  # bytes of one answer of a server
LONGEST_EXPORT = 1 << 30  # bytes of a file
SECONDS = 30  # that a server may be silent
PAGE = 1000


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the credentials to another host."""

    def redirect_request(self, *arguments):
        return None


def _credentials(url):
    """The header Authorization from the variables that MLflow's own client reads; none where others could listen."""
    token, user = os.environ.get("MLFLOW_TRACKING_TOKEN"), os.environ.get("MLFLOW_TRACKING_USERNAME")
    if not token and not user:
        return {}
    if url.scheme != "https" and url.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise slipway.Error(f"{url.hostname} is not asked over https; MLFLOW_TRACKING_TOKEN, _USERNAME and _PASSWORD are only sent over https.")
    if token:
        return {"Authorization": "Bearer " + token}
    pair = f"{user}:{os.environ.get('MLFLOW_TRACKING_PASSWORD', '')}".encode()
    return {"Authorization": "Basic " + base64.b64encode(pair).decode()}


def server_of(address):
    """A function (path, query, body) -> document, of an address such as http://localhost:5000/#/experiments/3."""
    url = urllib.parse.urlsplit(address)
    headers = {"Content-Type": "application/json", **_credentials(url)}
    base = f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}/api/2.0/mlflow/"
    opener = urllib.request.build_opener(_NoRedirect)

    def ask(path, query=None, body=None):
        target = base + path + ("?" + urllib.parse.urlencode(query) if query else "")
        data = json.dumps(body).encode() if body is not None else None
        try:
            with opener.open(urllib.request.Request(target, data, headers), timeout=SECONDS) as answer:
                text = answer.read(LONGEST_ANSWER + 1)
        except urllib.error.HTTPError as problem:
            why = {401: "it needs MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and _PASSWORD", 403: "access is refused"}
            raise slipway.Error(f"{url.netloc} has answered {problem.code} to {path}"
                                + (f"; {why[problem.code]}." if problem.code in why else ".")) from None
        except (OSError, ValueError) as problem:
            raise slipway.Error(f"{url.netloc} cannot be reached: {getattr(problem, 'reason', problem)}.") from None
        if len(text) > LONGEST_ANSWER:
            raise slipway.Error(f"{url.netloc} has answered {path} with more than 64 MiB.")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise slipway.Error(f"{url.netloc} is not a server of MLflow: its answer to {path} is not JSON.")
        return document

    return ask


def _list(document, key):
    value = document.get(key, [])
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _pages(ask, path, key, query=None, body=None):
    """All items of an answer that comes in pages."""
    token, seen = None, set()
    while True:
        more = {"page_token": token} if token else {}
        document = ask(path, {**query, **more} if query is not None else None, {**body, **more} if body is not None else None)
        yield from _list(document, key)
        token = document.get("next_page_token")
        if not token or not isinstance(token, str) or token in seen:
            return
        seen.add(token)


def read_mlflow_server(address, tables, ask=None):
    """experiments/search, runs/search and metrics/get-history (mlflow/mlflow: mlflow/protos/service.proto).
    @param tables module of Table, _safe and the bounds"""
    ask = ask or server_of(address)
    place = urllib.parse.urlsplit(address).fragment.split("/")
    wanted = place[place.index("experiments") + 1].split("?")[0] if "experiments" in place[:-1] else None
    run_wanted = place[place.index("runs") + 1].split("?")[0] if "runs" in place[:-1] else None
    experiments = [wanted] if wanted else [str(one.get("experiment_id")) for one in _pages(ask, "experiments/search", "experiments",
                                                                                            body={"max_results": PAGE})]
    out, points = [], 0
    for experiment in experiments:
        question = {"experiment_ids": [experiment], "max_results": PAGE, "run_view_type": "ACTIVE_ONLY"}
        for run in _pages(ask, "runs/search", "runs", body=question):
            info, data = run.get("info") or {}, run.get("data") or {}
            key = str(info.get("run_id") or info.get("run_uuid") or "")
            if not key or run_wanted and key != run_wanted:
                continue
            if len(out) >= tables.MOST_RUNS:
                raise slipway.Error(f"{address} has more than {tables.MOST_RUNS} runs; import one experiment: {address.split('#')[0]}#/experiments/ID.")
            started = str(info.get("start_time", ""))
            table = tables.Table(tables._safe(info.get("run_name"), tables._safe(key)), address.split("#")[0], "mlflow",
                                 int(started) if started.isdecimal() else None)
            for item in _list(data, "params"):
                table.config[str(item.get("key", ""))] = tables._figure(item.get("value"))
            for name in sorted({str(item.get("key", "")) for item in _list(data, "metrics")}):
                # Several values of a step: the newest counts.
                history = _pages(ask, "metrics/get-history", "metrics", query={"run_id": key, "metric_key": name, "max_results": 25000})
                for point in sorted(history, key=_time_of):
                    points += 1
                    if points > tables.MOST_POINTS:
                        raise slipway.Error(f"{address} has more than {tables.MOST_POINTS} figures; import one experiment at a time.")
                    table.add(point.get("step", 0), name, point.get("value"), _time_of(point))
            out.append(table)
    if not out:
        raise slipway.Error(f"{address} has no active run" + (f" in experiment {wanted}." if wanted else "."))
    return out


def _time_of(point):
    text = str(point.get("timestamp", ""))
    return int(text) if text.isdecimal() else 0


# ---- Weights & Biases ----

def _plain(config):
    """config.yaml's form {"lr": {"value": 0.1, "desc": null}} as {"lr": 0.1}."""
    out = {}
    for key, value in (config.items() if isinstance(config, dict) else ()):
        if key.startswith("_"):
            continue
        out[key] = value["value"] if isinstance(value, dict) and "value" in value and set(value) <= {"value", "desc"} else value
    return out


def _take_rows(table, rows, tables):
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            table.refused += 1
            continue
        step = next((row[key] for key in tables.STEP_COLUMNS if isinstance(row.get(key), (int, float))), at)
        seconds = row.get("_timestamp", 0)
        stamp = int(seconds * 1000) if isinstance(seconds, (int, float)) and 0 < seconds < 1e11 else 0
        figures = {key: value for key, value in row.items() if not key.startswith("_") and key not in tables.STEP_COLUMNS}
        for name, value in tables._flat(figures):
            table.add(step, name, value, stamp)


def _run_of(document, rows, path, tables):
    title = os.path.splitext(os.path.basename(path))[0]
    named = next((document[key] for key in ("display_name", "displayName", "name", "id") if isinstance(document.get(key), str)), title)
    table = tables.Table(tables._safe(named, title), path, "wandb")
    table.config.update(_plain(document.get("config")))
    _take_rows(table, rows, tables)
    return table


def read_json(path, tables):
    """A list of rows, a row a line, or runs as objects {name, config, history: [rows]}."""
    if os.path.getsize(path) > LONGEST_EXPORT:
        raise slipway.Error(f"{path} is larger than 1 GiB; export fewer runs.")
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        document = json.loads(text)
    except RecursionError:
        raise slipway.Error(f"{path} is nested too deeply.") from None
    except ValueError:
        document = []
        lines = text.splitlines()
        for line in lines:
            row = tables._object(line)
            if row is None and line.strip() and line is not lines[-1]:  # the last may be cut
                raise slipway.Error(f"{path} is neither JSON nor a JSON object a line.") from None
            document.extend([row] if row is not None else [])
    runs = document if isinstance(document, list) else [document]
    with_history = [run for run in runs if isinstance(run, dict) and isinstance(run.get("history"), list)]
    if with_history:
        return [_run_of(run, run["history"], path, tables) for run in with_history[: tables.MOST_RUNS]]
    if not isinstance(document, list):
        raise slipway.Error(f"{path} has no list of rows and no run with a list named history.")
    return [_run_of({}, document, path, tables)]


def is_chart_csv(head):
    """The CSV of a chart of Weights & Biases: a column of steps, then "RUN - FIGURE" with its extremes beside it."""
    row = next(csv.reader([head]), [])
    return len(row) > 1 and any(name.endswith("__MIN") and " - " in name for name in row[1:])


def read_chart_csv(path, tables):
    csv.field_size_limit(1 << 20)
    out = {}
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.reader(file)
        try:
            head = next(rows)
            columns = [(at, *name.rsplit(" - ", 1)) for at, name in enumerate(head)
                       if at > 0 and " - " in name and not name.endswith(("__MIN", "__MAX"))]
            for row in rows:
                for at, run, figure in columns:
                    if at >= len(row) or row[at] == "":
                        continue
                    table = out.setdefault(run, tables.Table(tables._safe(run), path, "wandb"))
                    # "1e3" is a step too.
                    step = float(row[0]) if row[0] else None
                    table.add(step, figure, row[at])
        except (csv.Error, ValueError) as problem:
            raise slipway.Error(f"{path}, line {rows.line_num}: {problem}.") from None
    if not out:
        raise slipway.Error(f"{path} has no column named \"RUN - FIGURE\".")
    if len(out) > tables.MOST_RUNS:
        raise slipway.Error(f"{path} has more than {tables.MOST_RUNS} runs.")
    return list(out.values())
