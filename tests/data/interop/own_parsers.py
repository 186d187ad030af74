# Reads a file we exported with the parser of the framework it is for; prints what that parser made of it as JSON.
#   own_parsers.py torchtitan a.toml | deepspeed a.json | omegaconf a.yaml | olmo_core a.json
# torchtitan and DeepSpeed import torch at once, which their configs do not need: empty modules stand in for it, and the packages'
# own __init__ files, which load everything, are passed over. A name these modules lack is made up as an empty class; those behind the first
# are what their logger comes from. OLMo-core's configs stand beside its modules, which are all loaded: its packages that are absent are empty.
import abc
import dataclasses
import importlib.abc
import importlib.machinery
import importlib.util
import json
import logging
import sys
import types


class Made(abc.ABCMeta):
    """A class that no one wrote: whatever it is asked for is another one."""

    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(name)
        setattr(cls, name, made(name))
        return getattr(cls, name)

    def __or__(cls, other):
        return cls

    __ror__ = __or__


class Nothing(metaclass=Made):
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if args and callable(args[0]) else self  # as a decorator

    def __class_getitem__(cls, item):
        return cls


def made(name):
    return Made(name, (Nothing,), {})


class Empty(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, made(name))
        return getattr(self, name)


class EmptyPackages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Every module of these packages is empty."""

    def __init__(self, *names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if any(name == own or name.startswith(own + ".") for own in self.names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Empty(spec.name)

    def exec_module(self, module):
        pass


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


def olmo_core(path):
    absent = "torch cached_path triton rich safetensors importlib_resources bettermap pandas requests olmo_core.kernels"
    sys.meta_path.insert(0, EmptyPackages(*absent.split()))
    from olmo_core.nn.transformer import TransformerConfig
    from olmo_core.train.train_module import TransformerTrainModuleConfig

    with open(path) as file:
        document = json.load(file)
    model = TransformerConfig.from_dict(document["model"])
    parsed = {"model": model.as_config_dict(), "num_params": model.num_params}
    parsed["train_module"] = TransformerTrainModuleConfig.from_dict(document["train_module"]).as_config_dict()
    parsed["model"]["block"]["attention"] = parsed["model"]["block"].pop("sequence_mixer")  # its older name
    return parsed


print(json.dumps({f.__name__: f for f in (torchtitan, deepspeed, omegaconf, olmo_core)}[sys.argv[1]](sys.argv[2]), default=str))
