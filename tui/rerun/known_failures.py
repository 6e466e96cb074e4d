"""What is known to go wrong in such runs: the texts that say so in a log, what they mean, and what to do.

The texts are the stable parts of what the compiler, the runtime, the driver and huggingface_hub print. Sources, named
at each entry: "troubleshooting", "runtime troubleshooting" and "error codes" are pages of the AWS Neuron documentation
(deploy/troubleshooting.rst, neuron-runtime/nrt-troubleshoot.rst, compiler/error-codes/index.rst); numbers are issues
of github.com/aws-neuron/aws-neuron-sdk unless another repository is named; "huggingface_hub" is its source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One kind of failure and how it is told in a log."""

    kind: str
    title: str
    texts: tuple[str, ...]
    """Any of them in a line says so, as they stand."""
    advice: str
    also: str = ""
    """A regular expression that has to be in the same line too."""
    wraps: bool = False
    """It only reports that something else failed; that is told near it."""
    echo: bool = False
    """It only reports that another rank failed."""


_BUSY = (
    "Another process holds these cores (often a notebook, or a worker that stayed behind). The host's devices and "
    "holders are listed by neuron-ls: end that process, or run on other devices."
)
_HBM_COMPILE = "Shard the model over more cores, or make batch and sequence smaller."
_HUB_LOGIN = "Accept the terms on the model's page, then log in with «hf auth login» (or set HF_TOKEN)."

KNOWN_FAILURES: tuple[KnownFailure, ...] = (
    # The Hub and its cache.
    KnownFailure(  # huggingface_hub, errors.py
        "gated",
        "The model is gated and its terms were not accepted",
        ("GatedRepoError", "Cannot access gated repo for url", "is restricted and you are not in the authorized list"),
        _HUB_LOGIN,
    ),
    KnownFailure(  # huggingface_hub, utils/_http.py: a gated repository without a token answers 401 as well
        "auth_or_missing",
        "The model is not on the Hub, or no token was accepted for it",
        ("Repository Not Found for url:", "make sure you are authenticated"),
        "The Hub answers the same for a model that does not exist, is private, or is gated: see that the id exists, "
        "then log in with «hf auth login».",
    ),
    KnownFailure(  # huggingface_hub, utils/_http.py; huggingface_hub issue 3312
        "rate_limit",
        "The Hub's rate limit was reached",
        ("429 Too Many Requests",),
        "Wait as long as the message says. A token raises the limit; without one it counts for the whole IP address.",
    ),
    KnownFailure(  # httpx and requests, which huggingface_hub is built on; the texts are the C library's
        "hub_unreachable",
        "The Hub could not be reached",
        (
            *("[Errno 111] Connection refused", "[Errno -2] Name or service not known", "ConnectError: "),
            *(
                "[Errno -3] Temporary failure in name resolution",
                "Max retries exceeded with url",
                "ConnectTimeout: ",
            ),
        ),
        "See that this host reaches huggingface.co, or what HF_ENDPOINT and the proxy variables name. Without a way "
        "out, have the weights in the cache before and set HF_HUB_OFFLINE=1.",
    ),
    KnownFailure(  # huggingface_hub, utils/_http.py and file_download.py
        "offline",
        "A file is neither in the local cache nor could it be fetched",
        ("offline mode is enabled", "we cannot find the requested files in the local cache"),
        "Take HF_HUB_OFFLINE away or see that this host reaches huggingface.co; the weights can be fetched beforehand "
        "with «Fetch weights».",
    ),
    KnownFailure(  # issue 579
        "disk_full",
        "The disk is full",
        ("No space left on device",),
        "Free some space, or set HF_HOME and the NEFF cache to a larger disk. AWS asks for 512 GB.",
    ),
    KnownFailure(  # huggingface_hub pull request 3714, issue 2580
        "cache_permission",
        "The Hugging Face cache belongs to somebody else",
        ("[Errno 13] Permission denied",),
        "Set HF_HOME to a folder of your own, or have its .locks folder made writable for the group.",
        also=r"\.locks|models--|datasets--|huggingface",
    ),
    # Packages.
    KnownFailure(  # pip, _internal/resolution/resolvelib/factory.py
        "package_conflict",
        "pip finds no versions that fit together",
        ("because these package versions have conflicting dependencies", "ResolutionImpossible"),
        "The lines above it name which package wants which version. The stack of the Python is never changed: choose a "
        "Python that has the stack as recorded.",
    ),
    KnownFailure(  # pip, _internal/resolution/resolvelib/factory.py; the line before it names every version there is
        "package_missing",
        "pip finds no such version of a package",
        ("No matching distribution found for", "Could not find a version that satisfies the requirement"),
        "There may be none for this Python, or not on this package index. When lines above it tell of connections that "
        "were broken, the index was not reached.",
    ),
    # The NEFF cache: its default folders are shared by all users of a host.
    KnownFailure(  # torch_neuronx, source
        "neff_cache_folder",
        "The folder for the locks of the NEFF cache cannot be used",
        ("Invalid TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR value", "Failed to create local cache directory"),
        "Set TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR to a folder of your own; its default is shared by all users.",
    ),
    # Compiling, the more specific first.
    KnownFailure(  # neuronx-cc's own message; seen on a host with 124 GiB
        "host_oom_compile",
        "The compiler was killed for lack of host memory",
        ("[F137]", "neuronx-cc was forcibly killed"),
        "Use a host with more memory, compile less at a time, or fetch compiled graphs instead of compiling.",
    ),
    KnownFailure(  # issue 431
        "host_oom_compile",
        "The compiler was killed, usually for lack of host memory",
        ("Compile command returned: -9",),
        "Use a host with more memory, compile less at a time, or fetch compiled graphs instead of compiling.",
    ),
    KnownFailure(  # error codes EOOM001, EOOM002, EVRF009, EXSP001
        "hbm_oom_compile",
        "The model needs more device memory than its cores have (told by the compiler)",
        ("NCC_EOOM001", "NCC_EOOM002", "NCC_EVRF009", "NCC_EXSP001", "exceeds HBM limit of"),
        _HBM_COMPILE,
    ),
    KnownFailure(  # error codes
        "compile_error",
        "The compiler does not accept the model's graph",
        ("[NCC_E",),
        "Look the code up in the compiler's list of error codes in the AWS Neuron documentation.",
        also=r"\[NCC_E[A-Z]*\d+\]",
    ),
    KnownFailure(  # torch_neuronx, source
        "compiler_missing",
        "The compiler was not found",
        ("neuronx-cc not found in PATH",),
        "The folder with neuronx-cc, the bin folder of the Python that runs the script, has to be on PATH.",
    ),
    KnownFailure(  # nki-samples issue 24; issue 1118
        "compiler_crash",
        "The compiler failed by itself",
        (
            *("[F134]", "[F139]", "neuronx-cc terminated abnormally"),
            *("An Internal Compiler Error has occurred", "Internal Compiler Error"),
        ),
        "Try another version of neuronx-cc; if it stays, report it to github.com/aws-neuron/aws-neuron-sdk with the "
        "compiler's log.",
    ),
    KnownFailure(  # torch_neuronx, source
        "compile_failed_native",
        "Compiling a graph failed",
        ("Compilation failed for cache key",),
        "The reason stands behind the key, or in the compiler's lines near it.",
        wraps=True,
    ),
    # Device memory, at run time.
    KnownFailure(  # issue 1014; device-memory.rst for the newer form
        "hbm_oom_run",
        "The device memory is full",
        ("Failed to allocate",),
        f"{_HBM_COMPILE} See that nothing else runs on these devices.",
        also=r"on ND \d+:NC \d+",
    ),
    KnownFailure(  # vllm-project/vllm issue 12443
        "hbm_oom_run",
        "The device memory is full",
        ("NRT_RESOURCE in nrt_tensor_allocate", "nrt_tensor_allocate status=4"),
        f"{_HBM_COMPILE} See that nothing else runs on these devices.",
    ),
    # Devices, cores, driver.
    KnownFailure(  # runtime troubleshooting; issues 1065 and 1338
        "cores_busy",
        "The NeuronCores are in use by another process",
        (
            *("NeuronCore(s) not available - Requested:", "Neuron Core(s) not available"),
            *("cores busy, ret=-16",),
        ),
        _BUSY,
    ),
    KnownFailure(  # runtime troubleshooting
        "no_driver",
        "The Neuron driver is missing or too old",
        ("Unable to determine Neuron Driver version", "This runtime requires Neuron Driver version"),
        "Install or upgrade the package aws-neuronx-dkms and load the module again.",
    ),
    KnownFailure(  # issue 415
        "no_device_in_container",
        "The Neuron devices were not passed into the container",
        ("Unable to read compatible Driver version", "Please check /dev/neuron# is accessible"),
        "Start the container with «--device /dev/neuron0» for each device that it shall have.",
    ),
    KnownFailure(  # troubleshooting; issue 633
        "no_device",
        "No Neuron device was found",
        ("No neuron device available", "This instance has no neuron devices"),
        "Run on a Trainium host with the driver loaded; in a container, pass the devices.",
    ),
    KnownFailure(  # issue 902
        "no_device",
        "No Neuron device was found (told by the older XLA stack)",
        ("error condition !(num_devices > 0)",),
        "The driver is not loaded, or the image is one for another kind of host.",
    ),
    KnownFailure(  # troubleshooting
        "bad_device_set",
        "These devices cannot be used together",
        ("Could not open the nd", "Neuron cores are not contiguous"),
        "Use devices next to each other: NEURON_RT_VISIBLE_CORES takes one range without gaps, of cores that exist.",
    ),
    KnownFailure(  # torch_neuronx, source: it says nothing about contention, which is the usual cause
        "init_failed",
        "The Neuron runtime could not be started",
        ("Failed to initialize Neuron Runtime",),
        "See first whether another process holds the cores, then whether driver and runtime fit each other.",
        wraps=True,
    ),
    KnownFailure(  # aws-neuron-samples issue 44
        "init_failed",
        "The Neuron runtime could not be started",
        (
            "The PyTorch Neuron Runtime could not be initialized",
            "Neuron runtime cannot be initialized; cannot determine the number of available NeuronCores",
        ),
        "Python processes that stayed behind hold the cores most of the time: end them and start again.",
        wraps=True,
    ),
    # Runtime, hardware.
    KnownFailure(  # runtime troubleshooting
        "neff_version",
        "A compiled graph is for a newer runtime",
        ("NEFF version mismatch supported:", "Unsupported hardware operator code"),
        "Upgrade aws-neuronx-runtime-lib, or use another NEFF cache: this one was filled by a newer compiler.",
    ),
    KnownFailure(  # runtime troubleshooting
        "driver_old",
        "The loaded Neuron driver does not fit the runtime",
        ("is not compatible with the installed aws-neuron",),
        "Update aws-neuronx-dkms and load the module again: modinfo shows the new version while the old one is loaded.",
    ),
    KnownFailure(  # runtime troubleshooting
        "device_stuck",
        "A Neuron device does not answer",
        ("Failed to initialize devices, error:5", "Timestamp program stop timeout"),
        "An administrator can reset it: «sudo rmmod neuron; sudo modprobe neuron», with no run going on.",
    ),
    KnownFailure(  # runtime troubleshooting
        "hardware",
        "A device's memory has an error that cannot be corrected",
        ("Uncorrectable memory error is detected",),
        "Stop and start the instance, so that it comes up on other hardware.",
    ),
    KnownFailure(  # runtime troubleshooting
        "exec_timeout",
        "A graph did not finish within the time limit",
        ("execution timeout (",),
        "Another rank may have died, its log lines tell; else raise NEURON_RT_EXEC_TIMEOUT (seconds).",
        also=r"on Neuron Device",
    ),
    KnownFailure(  # two jobs with torchrun's default port
        "port_in_use",
        "The port for the ranks is in use",
        ("EADDRINUSE",),
        "Another run has it: start again, each run gets a port of its own; a script that sets MASTER_PORT does not.",
    ),
    KnownFailure(  # runtime troubleshooting
        "peer_lost",
        "A rank lost its connection to another one, which had died",
        ("RX, connection closed by remote peer",),
        "Why that one died is not in this log: look for what the kernel ended (dmesg), or for logs of single ranks.",
        echo=True,
    ),
)
"""The more specific first: of two that are told at the same moment the first one counts."""

NOISE = re.compile(
    r"OFI plugin initNet\(\) failed|aws-ofi-nccl initialization failed|TPURoundRobin|nrta_tensor_(?:read|write)"
    r"|Timeout waiting for RX|\bretrying\b|Not enough free disk space to download the file",
    re.IGNORECASE,
)
"""Lines that look like errors and are none by themselves (runtime troubleshooting), or are tried again."""

_TOO_LARGE = "The graph is too large; shard the model over more cores, so that each graph is smaller."
_OPERATOR = "An operator is not supported; another version of neuronx-cc may know it."
_FLOAT8 = "An 8-bit floating-point type is not supported; use a checkpoint in bfloat16 or float16."
_CUSTOM_CALL = "A custom call is not known to this compiler; torch-neuronx, nki and neuronx-cc have to belong together."

COMPILER_CODES: Mapping[str, str] = {
    "EARG001": "This logical NeuronCore configuration is not supported here; trn2 takes LNC 1 or 2.",
    "EBVF030": _TOO_LARGE,
    "EHCA005": _CUSTOM_CALL,
    "EMOD025": "Shapes that change are not supported; use fixed input sizes, torch.compile with dynamic=False.",
    "ESFH002": "A 64-bit constant does not fit into 32 bits.",
    "ESPP004": "A data type is not supported.",
    "ESPP047": _FLOAT8,
    "EUOC002": _OPERATOR,
    "EVRF001": _OPERATOR,
    "EVRF004": "Complex numbers are not supported on the device; the model has to compute that part with real ones.",
    "EVRF005": _FLOAT8,
    "EVRF007": _TOO_LARGE,
    "EVRF013": "TopK does not take integers.",
    "EVRF015": _CUSTOM_CALL,
    "EVRF016": "Scatter-reduce does not take integers or booleans.",
    "EVRF022": "Shifts need 32-bit numbers.",
    "EVRF035": "Matrix products of 32-bit or 64-bit integers are not supported.",
    "EVRF051": "The data type F8E4M3FN is not supported on trn2; use a checkpoint in bfloat16.",
    "EVRF056": "A gather goes out of bounds; see that max_position_embeddings covers the sequence length.",
    "EVRF059": "A kernel's file is gone; clear the NKI cache and trace the model again.",
    "EVRF065": "A kernel was traced with another version of nki; upgrade nki and trace the model again.",
    "EXTP004": _TOO_LARGE,
}
"""What the compiler's error codes mean (the documentation's list of error codes), without `NCC_`."""
