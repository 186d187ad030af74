"""The module by itself: what it writes, what it refuses, and what a call costs. No other process."""
import ast
import json
import math
import os
import re
import resource
import statistics
import sys
import time
import types
import unittest
import warnings

from support import MODULE, ROOT, HomeTest, main

import slipway


class Package(unittest.TestCase):
    def test_version_is_the_first_heading_of_the_changelog(self):
        with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            self.assertEqual(re.search(r"^## (\S+)", file.read(), re.MULTILINE).group(1), slipway.__version__)

    def test_syntax_is_that_of_python_3_9(self):
        with open(os.path.join(MODULE, "slipway.py"), encoding="utf-8") as file:
            ast.parse(file.read(), feature_version=(3, 9))

    def test_imports_nothing_beyond_the_standard_library(self):
        with open(os.path.join(MODULE, "slipway.py"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        names = {name.name.split(".")[0] for node in tree.body if isinstance(node, ast.Import) for name in node.names}
        names |= {node.module.split(".")[0] for node in tree.body if isinstance(node, ast.ImportFrom)}
        self.assertEqual(names - set(getattr(sys, "stdlib_module_names", names)), set())


class Recording(HomeTest):
    def start(self, **arguments):
        run = slipway.init(**dict({"name": "r", "capture": False}, **arguments))
        self.addCleanup(run.finish)
        return run

    def refuses(self, sentence, call, *arguments, **named):
        with self.assertRaises(slipway.Error) as caught:
            call(*arguments, **named)
        self.assertEqual(str(caught.exception), sentence)

    def test_steps_keep_names_values_and_tokens(self):
        run = self.start()
        run.log({"loss": 2.5, "my/figure": 7}, step=10, tokens=4096)
        run.log({"loss": 2.25})
        self.assertEqual([(line["step"], line["tokens"], line["values"]) for line in self.steps()],
                         [(10, 4096, {"loss": 2.5, "my/figure": 7.0}), (11, 4096, {"loss": 2.25})])

    def test_names_of_other_trainers_become_those_of_the_store(self):
        run = self.start()
        run.log({"train_loss": 1.0, "val_loss": 2.0, "learning_rate": 3.0, "grad_2.0_norm_total": 4.0, "eval_runtime": 5.0,
                 "num_input_tokens_seen": 600})
        run.log({"lr-AdamW": 8.0, "lr-AdamW/pg1": 9.0})
        first, second = self.steps()
        self.assertEqual(first["values"], {"loss": 1.0, "eval_loss": 2.0, "lr": 3.0, "grad_norm": 4.0, "eval_seconds": 5.0})
        self.assertEqual(first["tokens"], 600)
        self.assertEqual(second["values"], {"lr": 8.0, "lr-AdamW/pg1": 9.0})

    def test_numbers_that_are_not_finite_are_data(self):
        run = self.start()
        run.log({"loss": math.nan, "grad_norm": math.inf, "x": -math.inf})
        self.assertEqual(self.steps()[0]["values"], {"loss": "nan", "grad_norm": "inf", "x": "-inf"})

    def test_events_and_the_end(self):
        run = self.start()
        run.log({"loss": 1.0}, step=5)
        run.event("rewind", "to step 3 \ud800")
        run.finish("failed", "the disk\nis gone")
        event, end = self.lines()[-2:]
        self.assertEqual((event["kind"], event["step"], event["name"], event["detail"]), ("event", 5, "rewind", "to step 3 ?"))
        self.assertEqual((end["kind"], end["status"], end["step"], end["exit_code"]), ("end", "failed", 5, 1))
        self.assertEqual(json.loads(self.text("agent", "local", "exit.json"))["detail"], "Rank 0 failed: the disk is gone")
        self.refuses("The run has ended; start another with slipway.init().", run.log, {"loss": 1.0})

    def test_refuses_hostile_names(self):
        self.refuses("name has 201 characters; shorten it to 200.", slipway.init, name="x" * 201)
        self.refuses("name contains the control character U+001B; remove it.", slipway.init, name="a\x1b[31m")
        self.refuses("name contains the control character U+202E; remove it.", slipway.init, name="a\u202eb")
        self.refuses("name contains the control character U+0000; remove it.", slipway.init, name="a\0b")
        self.refuses("name contains the control character U+D800; remove it.", slipway.init, name="a\ud800b")
        self.refuses("A tag has 201 characters; shorten it to 200.", slipway.init, tags=["x" * 201])
        self.assertFalse(os.path.exists(os.path.join(self.home, "runs")), "a refused run left something")
        run = self.start(name="y" * 200)
        self.refuses("The name of a figure contains the control character U+000A; remove it.", run.log, {"a\nb": 1.0})
        self.refuses('A figure cannot have the name "time_unix_ms"; choose another.', run.log, {"time_unix_ms": 1.0})

    def test_refuses_what_is_no_number(self):
        run = self.start()
        self.refuses('"loss" is str; run.log takes numbers, run.event takes texts.', run.log, {"loss": "2.5"})
        self.refuses('"loss" is NoneType; run.log takes numbers, run.event takes texts.', run.log, {"loss": None})
        self.refuses("step must be a whole number, not 1.5.", run.log, {"loss": 1.0}, step=1.5)
        self.refuses("step is -1; steps are 0 or more.", run.log, {"loss": 1.0}, step=-1)
        self.refuses("tokens is nan; it is the number of tokens that the run has seen so far.", run.log, {}, tokens=math.nan)
        self.assertEqual(self.steps(), [])

    def test_a_line_longer_than_readers_take_is_refused(self):
        run = self.start()
        with self.assertRaisesRegex(slipway.Error, "cannot be stored; log fewer figures at once"):
            run.log({f"{i}" + "x" * 190: 1.0 for i in range(6000)})
        self.assertEqual(self.steps(), [])

    def test_half_a_line_spoils_no_other(self):
        run = self.start()
        run.log({"loss": 1.0}, step=1)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(self.path("metrics.jsonl")) + 10, hard))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                run.log({"loss": 2.0}, step=2)  # torn
                run.log({"loss": 3.0}, step=3)  # no room at all
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            run.log({"loss": 4.0}, step=4)
            run.finish()
        texts = self.text("metrics.jsonl").splitlines()
        self.assertEqual(json.loads(texts[1])["step"], 1)
        self.assertEqual(texts[2], '{"kind":"s')
        self.assertEqual(json.loads(texts[3])["step"], 4)
        self.assertIn("2 lines of the Slipway run", str(said[-1].message))

    def test_config_is_kept_and_its_known_figures_become_fields(self):
        os.environ["WORLD_SIZE"] = "8"
        self.start(config={"lr": 0.5, "max_steps": 70, "seq_len": 10 ** 12, "data": "c4", "parallel": {"tp": 2}, "gap": math.nan})
        config = json.loads(self.text("config.json"))
        self.assertEqual(config, {"schema": 1, "name": "r", "partial": True, "train": {"num_steps": 70},
                                  "optimizer": {"lr": 0.5}, "parallel": {"tp": 2}})
        kept = json.loads(self.text("environment.json"))["config"]
        self.assertEqual((kept["data"], kept["seq_len"], kept["gap"]), ("c4", 10 ** 12, "nan"))
        event = self.lines()[1]
        self.assertEqual((event["name"], json.loads(event["detail"])), ("config", kept))

    def test_secrets_stay_out(self):
        os.environ["SOME_API_KEY"] = "hunter2-environment"
        self.start(config={"hf_token": "hunter2-token", "deep": {"password": "hunter2-password"}, "eos_token": "</s>", "num_tokens": 5})
        for folder, _, files in os.walk(self.path()):
            for name in files:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertNotIn("hunter2", file.read(), name)
        kept = json.loads(self.text("environment.json"))["config"]
        self.assertEqual((kept["hf_token"], kept["eos_token"], kept["num_tokens"]), ("(hidden)", "</s>", 5))

    def test_a_home_that_cannot_be_written_is_named(self):
        home = os.path.join(self.home, "file")
        with open(home, "w", encoding="utf-8") as file:
            file.write("not a folder")
        self.refuses(f"The run cannot be made in {home}/runs: Not a directory. Set SLIPWAY_HOME or home= to a folder that can be written.",
                     slipway.init, home=home)
        if os.geteuid() != 0:
            os.chmod(self.home, 0o555)
            self.addCleanup(os.chmod, self.home, 0o755)
            self.refuses(f"The run cannot be made in {self.home}/runs: Permission denied. Set SLIPWAY_HOME or home= to a folder that can be "
                         "written.", slipway.init)

    def modes(self, home):
        modes = set()
        for folder, _, files in os.walk(home):
            modes |= {oct(os.stat(path).st_mode & 0o7777) for path in [folder] + [os.path.join(folder, name) for name in files]}
        return modes

    def test_what_is_new_is_as_open_as_its_folder(self):
        private, shared = os.path.join(self.home, "new", "private"), os.path.join(self.home, "shared")
        os.mkdir(shared)
        os.chmod(shared, 0o2770)
        self.addCleanup(os.umask, os.umask(0o022))
        self.start(home=private)
        self.assertEqual(self.modes(private), {"0o700", "0o600"})
        os.umask(0o077)
        self.start(home=shared)
        self.assertEqual(self.modes(shared), {"0o2770", "0o660"})

    def test_ranks_must_make_sense(self):
        os.environ.update(RANK="2", WORLD_SIZE="2")
        self.refuses("RANK is 2 and WORLD_SIZE 2; the rank must be below the world size.", slipway.init)
        os.environ["RANK"] = "one"
        self.refuses('RANK is "one"; it must be a whole number.', slipway.init)

    def test_a_context_ends_the_run_as_it_went(self):
        for problem, status, code in ((None, "completed", 0), (ValueError("x"), "failed", 1), (MemoryError(), "failed", 11),
                                      (KeyboardInterrupt(), "cancelled", 14), (SystemExit(0), "completed", 0), (SystemExit(2), "failed", 1)):
            run = self.start()
            run.__enter__()
            self.assertFalse(run.__exit__(type(problem), problem, None))
            end = self.lines(run=self.folders().index(run.id))[-1]
            self.assertEqual((end["status"], end["exit_code"]), (status, code), problem)

    def test_a_stop_that_was_asked_for_cancels(self):
        run = self.start()
        self.assertFalse(run.stop_requested)
        os.makedirs(self.path("control"), exist_ok=True)
        with open(self.path("control", "stop"), "w", encoding="utf-8"):
            pass
        self.wait_until(lambda: run.stop_requested, "the request")
        run.finish()
        self.assertEqual(json.loads(self.text("agent", "local", "exit.json"))["reason"], "stopped")

    def test_log_without_a_run_says_so(self):
        self.refuses("There is no run; start one with slipway.init().", slipway.log, {"loss": 1.0})

    def test_a_call_takes_less_than_50_microseconds(self):
        run = self.start()
        values = {"loss": 2.1, "lr": 1e-3, "grad_norm": 0.3, "step_seconds": 0.4}
        times = []
        for _ in range(5000):
            begin = time.perf_counter_ns()
            run.log(values)
            times.append(time.perf_counter_ns() - begin)
        self.assertLess(statistics.median(times), 50000)


class Adapters(HomeTest):
    """Stand-ins with the interface of the two libraries."""

    def module(self, name, **members):
        module = types.ModuleType(name)
        module.__dict__.update(members)
        saved = sys.modules.get(name)
        self.addCleanup(lambda: sys.modules.pop(name) if saved is None else sys.modules.update({name: saved}))
        sys.modules[name] = module

    def setUp(self):
        super().setUp()
        for name in ("SlipwayCallback", "SlipwayLogger"):
            slipway.__dict__.pop(name, None)

    def test_hugging_face(self):
        self.module("transformers", TrainerCallback=type("TrainerCallback", (), {}))
        arguments = types.SimpleNamespace(
            run_name="tuned", process_index=0, world_size=1, train_batch_size=4, gradient_accumulation_steps=2,
            to_dict=lambda: {"learning_rate": 1e-4, "weight_decay": 0.0, "max_steps": -1, "hub_token": "hf_secret"})
        model = types.SimpleNamespace(config=types.SimpleNamespace(to_dict=lambda: {"num_hidden_layers": 3, "vocab_size": 99}))
        state, control = types.SimpleNamespace(max_steps=20, global_step=0), types.SimpleNamespace(should_training_stop=False)
        callback = slipway.SlipwayCallback(tags=["t"], capture=False)
        callback.on_train_begin(arguments, state, control, model=model)
        self.addCleanup(lambda: callback.run.finish())
        for state.global_step in (1, 2):
            callback.on_step_begin(arguments, state, control)
            callback.on_step_end(arguments, state, control)
        callback.on_log(arguments, state, control, logs={"loss": 2.0, "learning_rate": 1e-4, "epoch": 0.5, "note": "text"})
        callback.on_log(arguments, state, control, logs={"eval_loss": 1.5})
        callback.on_log(arguments, state, control, logs={"train_loss": 9.0, "train_runtime": 3.0})
        values = [line["values"] for line in self.steps()]
        self.assertGreaterEqual(values[0].pop("step_seconds"), 0.0)
        self.assertEqual(values, [{"loss": 2.0, "lr": 1e-4, "epoch": 0.5}, {"eval_loss": 1.5}, {"mean_train_loss": 9.0, "train_runtime": 3.0}])
        config = json.loads(self.text("config.json"))
        self.assertEqual((config["name"], config["train"], config["model"], config["optimizer"]),
                         ("tuned", {"num_steps": 20, "global_batch_size": 8}, {"num_layers": 3, "vocab_size": 99},
                          {"lr": 1e-4, "weight_decay": 0.0}))
        self.assertNotIn("hf_secret", self.text("environment.json"))
        os.makedirs(self.path("control"), exist_ok=True)
        with open(self.path("control", "stop"), "w", encoding="utf-8"):
            pass
        self.wait_until(lambda: callback.on_step_end(arguments, state, control).should_training_stop, "the request to stop")
        self.assertTrue(control.should_save)

    def test_lightning(self):
        only = lambda function: function  # noqa: E731
        self.module("lightning")
        self.module("lightning.pytorch")
        self.module("lightning.pytorch.loggers")
        self.module("lightning.pytorch.loggers.logger", Logger=type("Logger", (), {}), rank_zero_experiment=only)
        self.module("lightning.pytorch.utilities")
        self.module("lightning.pytorch.utilities.rank_zero", rank_zero_only=only)
        logger = slipway.SlipwayLogger(name="lit", capture=False)
        logger.log_hyperparams({"lr": 0.25})
        logger.log_metrics({"train_loss_step": 2.0, "epoch": 0}, step=7)
        self.addCleanup(lambda: logger.experiment.finish())
        self.assertEqual(self.steps()[0]["values"], {"loss": 2.0, "epoch": 0.0})
        self.assertEqual(json.loads(self.text("config.json"))["optimizer"], {"lr": 0.25})
        self.assertEqual((logger.name, logger.version), ("lit", self.folders()[0]))
        logger.finalize("success")
        logger.log_metrics({"val_loss": 1.0}, step=8)
        try:
            raise ValueError("no batch")
        except ValueError:
            logger.finalize("failed")  # as Lightning does
        self.assertEqual(json.loads(self.text("agent", "local", "exit.json"))["detail"], "Rank 0 failed: ValueError: no batch")

    def test_without_the_library_its_import_error_is_seen(self):
        self.module("transformers")
        with self.assertRaises(ImportError):
            slipway.SlipwayCallback()


if __name__ == "__main__":
    main()
