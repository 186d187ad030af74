# Reads a file we exported with the parser of the framework it is for; prints what that parser made of it as JSON.
#   own_parsers.py torchtitan a.toml | deepspeed a.json | omegaconf a.yaml
# torchtitan and DeepSpeed import torch at once, which their configs do not need: empty modules stand in for it, and the packages'
# own __init__ files, which load everything, are passed over. A name these modules lack is made up as an empty class; those behind the first
# are what their logger comes from.
import dataclasses
import importlib.util
import json
import logging
import sys
import types


class Empty(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, type(name, (), {}))
        return getattr(self, name)


def stand_in(*names):
    sys.modules.update({name: Empty(name) for name in names})
    for name in names[1:]:
        sys.modules[name].logger = logging.getLogger(name)


def without_init(*names):
    root = list(importlib.util.find_spec(names[0]).submodule_search_locations)[0]
    for name in names:
        module = types.ModuleType(name)
        module.__path__ = ["/".join([root, *name.split(".")[1:]])]
        sys.modules[name] = module


def torchtitan(path):
    stand_in("torch", "torchtitan.tools.logging")
    without_init("torchtitan", "torchtitan.tools")
    from torchtitan.config.manager import ConfigManager

    return dataclasses.asdict(ConfigManager().parse_args(["--job.config_file", path]))


def deepspeed(path):
    stand_in("torch", "deepspeed.utils")
    without_init("deepspeed", "deepspeed.runtime", "deepspeed.runtime.zero")
    from deepspeed.runtime.zero.config import DeepSpeedZeroConfig

    with open(path) as file:
        return DeepSpeedZeroConfig(**json.load(file)["zero_optimization"]).model_dump(mode="json")


def omegaconf(path):
    from omegaconf import OmegaConf

    return OmegaConf.to_container(OmegaConf.load(path))


print(json.dumps({f.__name__: f for f in (torchtitan, deepspeed, omegaconf)}[sys.argv[1]](sys.argv[2]), default=str))
