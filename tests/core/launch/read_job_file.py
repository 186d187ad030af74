"""A file of `slipway launch --write`, read by the program that it is written for.

read_job_file.py KIND FILE prints what that program sees, as JSON; it ends with 1 and its words where that refuses, and with 3 and the
reason where it is not here. `./test --full` fetches them (packaging/setup/schedulers.txt).
"""
import ast
import importlib.util
import json
import os
import sys
import types


def folder_of(name):
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        print(name + " is not installed")
        sys.exit(3)
    return list(found.submodule_search_locations)


def document(path):
    import yaml

    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def skypilot(path):
    """The schema that `sky launch` checks a task against. Its package imports clouds and servers at once: only the modules beneath are
    read, and the one of them that follows a daemon is a stub."""
    folders = {"sky": folder_of("sky")}
    for name in ("skylet", "utils"):
        folders["sky." + name] = [os.path.join(part, name) for part in folders["sky"]]
    for name, parts in folders.items():
        module = types.ModuleType(name)
        module.__path__ = parts
        module.__version__ = "0"
        sys.modules[name] = module
    stub = types.ModuleType("sky.skylet.autostop_lib")
    stub.AutostopWaitFor = type("AutostopWaitFor", (), {"supported_modes": staticmethod(lambda: ["jobs"])})
    sys.modules[stub.__name__] = stub
    setattr(sys.modules["sky.skylet"], "autostop_lib", stub)
    from jsonschema import Draft202012Validator
    from sky.utils import schemas

    # Of parts that our files do not have, which would import the server.
    for part in ("_task_config_schema", "get_storage_schema", "get_service_schema", "get_volume_schema"):
        setattr(schemas, part, lambda: {"type": "object"})
    task = document(path)
    resources = task.get("resources", {})
    Draft202012Validator(schemas.get_task_schema()).validate(task)
    Draft202012Validator(schemas.get_resources_schema()).validate(resources)
    return {"name": task["name"], "nodes": task["num_nodes"], "gpus": resources.get("accelerators")}


def dstack(path):
    folder_of("dstack")
    from dstack._internal.core.models.configurations import parse_apply_configuration

    task = parse_apply_configuration(document(path))
    gpu = task.resources.gpu
    gpus = "%s:%d" % (gpu.name[0], gpu.count.min) if gpu is not None and gpu.name else None
    return {"name": task.name, "nodes": task.nodes, "gpus": gpus}


def jobset(path):
    """The models that Kubeflow generates of the published schema of JobSet. They drop what they do not know, so all must come back."""
    folder_of("kubeflow_trainer_api")
    from kubeflow_trainer_api.models.jobset_v1alpha2_job_set import JobsetV1alpha2JobSet

    text = document(path)
    again = json.loads(json.dumps(JobsetV1alpha2JobSet.from_dict(text).to_dict()))
    if again != text:
        raise ValueError("not all of the document is known: " + json.dumps(again)[:2000])
    job = text["spec"]["replicatedJobs"][0]["template"]["spec"]
    limits = job["template"]["spec"]["containers"][0].get("resources", {}).get("limits", {})
    return {"name": text["metadata"]["name"], "nodes": job["completions"], "gpus": limits.get("nvidia.com/gpu")}


def torchrun(path):
    """The parser of torch.distributed.run, without importing PyTorch: its function is taken out of the file."""
    from argparse import REMAINDER, ArgumentParser

    part = os.environ.get("SLIPWAY_TORCHRUN", "none")
    run = os.path.join(part, "run.py")
    if not os.path.exists(run):
        print("SLIPWAY_TORCHRUN does not name torch/distributed")
        sys.exit(3)
    with open(os.path.join(part, "argparse_util.py"), encoding="utf-8") as file:
        actions = {}
        exec(compile(file.read(), "argparse_util.py", "exec"), actions)  # pylint: disable=exec-used
    with open(run, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    wanted = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "get_args_parser"]
    names = {"ArgumentParser": ArgumentParser, "REMAINDER": REMAINDER, "env": actions["env"],
             "check_env": actions["check_env"], "_AffinityMode": []}
    wanted[0].returns = None
    exec(compile(ast.Module(wanted, []), run, "exec"), names)  # pylint: disable=exec-used
    with open(path, encoding="utf-8") as file:
        words = file.read().split("\0")[:-1]  # the arguments that reached it
    options, rest = names["get_args_parser"]().parse_known_args(words)
    if rest or not options.no_python:
        raise ValueError("arguments that are not known: " + " ".join(rest))
    return {"name": options.training_script, "nodes": int(options.nnodes), "gpus": int(options.nproc_per_node),
            "rank": options.node_rank, "arguments": options.training_script_args}


def main():
    read = {"skypilot": skypilot, "dstack": dstack, "jobset": jobset, "torchrun": torchrun}[sys.argv[1]]
    print(json.dumps(read(sys.argv[2])))


if __name__ == "__main__":
    main()
