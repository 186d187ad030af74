"""Files that other trackers' own packages write here and now, as runs. SLIPWAY_PEERS is a folder with the packages of
packaging/setup/peers.lock; `./test --full` fetches them."""
import contextlib
import glob
import io
import os
import subprocess
import sys
import unittest

from support import HomeTest, main

import slipway_import

PEERS = os.environ.get("SLIPWAY_PEERS", "")
LOSSES = [3.0, 1.5, 1.0, 0.75]


@unittest.skipUnless(os.path.isdir(PEERS), "SLIPWAY_PEERS names no folder with other trackers' packages (./test --full fetches them)")
class Peers(HomeTest):
    def written(self, source, **environment):
        """Runs a program that has the peers' packages, in the home."""
        done = subprocess.run([sys.executable, "-c", f"losses = {LOSSES}\n" + source], cwd=self.home, timeout=300, text=True, check=False,
                              env=dict(os.environ, PYTHONPATH=PEERS, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def imported(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            code = slipway_import.main(list(arguments))
        self.assertEqual(code, 0, out.getvalue())
        return [line["values"]["loss"] for line in self.steps()], [line["step"] for line in self.steps()]

    def test_wandb(self):
        self.written("""
import wandb
run = wandb.init(project='p', name='peer', config={'lr': 0.1})
for i, loss in enumerate(losses):
    run.log({'train/loss': loss, 'text': 'x' * 40000}, step=10 * i)
run.log({'train/loss': float('nan')}, step=90)
run.finish()
""", WANDB_MODE="offline", WANDB_DIR=self.home, WANDB_SILENT="true")
        path, = glob.glob(os.path.join(self.home, "wandb", "offline-run-*", "*.wandb"))
        self.assertEqual(self.imported(path), (LOSSES + ["nan"], [0, 10, 20, 30, 90]))
        self.assertIn('"lr": 0.1', self.text("config.json"))

    def test_mlflow(self):
        source = """
import mlflow
mlflow.set_tracking_uri('STORE')
with mlflow.start_run(run_name='peer'):
    mlflow.log_param('lr', 0.1)
    for i, loss in enumerate(losses):
        mlflow.log_metric('train/loss', loss, step=i)
    mlflow.log_metric('train/loss', float('inf'), step=9)
"""
        self.written(source.replace("STORE", f"sqlite:///{self.home}/m.db"))
        self.assertEqual(self.imported(os.path.join(self.home, "m.db")), (LOSSES + ["inf"], [0, 1, 2, 3, 9]))
        self.assertIn('"lr": 0.1', self.text("config.json"))

    def test_mlflow_file_store(self):
        self.written("""
import mlflow
mlflow.set_tracking_uri('file://%s/mlruns')
with mlflow.start_run(run_name='peer'):
    for i, loss in enumerate(losses):
        mlflow.log_metric('train/loss', loss, step=i)
""" % self.home, MLFLOW_ALLOW_FILE_STORE="true")
        self.assertEqual(self.imported(os.path.join(self.home, "mlruns")), (LOSSES, [0, 1, 2, 3]))

    def test_trackio(self):
        self.written("""
import trackio
trackio.init(project='p', name='peer', config={'lr': 0.1})
for i, loss in enumerate(losses):
    trackio.log({'train/loss': loss}, step=i)
trackio.log({'train/loss': float('nan')}, step=9)
trackio.finish()
""", TRACKIO_DIR=os.path.join(self.home, "trackio"), HF_HUB_OFFLINE="1")
        self.assertEqual(self.imported(os.path.join(self.home, "trackio", "p.db")), (LOSSES + ["nan"], [0, 1, 2, 3, 9]))

    def test_aim(self):
        self.written("""
import aim
run = aim.Run(repo='.', system_tracking_interval=None, log_system_params=False)
run.name = 'peer'
run['hparams'] = {'lr': 0.1}
for i, loss in enumerate(losses):
    run.track(loss, name='loss', step=i, context={'subset': 'train'})
run.track(float('nan'), name='loss', step=9, context={'subset': 'train'})
run.close()
""")
        sys.path.insert(0, PEERS)  # before older ones of the same packages
        self.addCleanup(sys.path.remove, PEERS)
        self.assertEqual(self.imported(os.path.join(self.home, ".aim")), (LOSSES + ["nan"], [0, 1, 2, 3, 9]))
        self.assertIn('"lr": 0.1', self.text("config.json"))

    def test_parquet(self):
        self.written("""
import pyarrow, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.table({'run_id': ['A'] * 4, 'attribute_path': ['train/loss'] * 4, 'step': [0.0, 1.0, 2.0, 3.0],
                                           'float_value': losses}), 'long.parquet')
""")
        sys.path.append(PEERS)
        self.addCleanup(sys.path.remove, PEERS)
        self.assertEqual(self.imported(os.path.join(self.home, "long.parquet")), (LOSSES, [0, 1, 2, 3]))


if __name__ == "__main__":
    main()
