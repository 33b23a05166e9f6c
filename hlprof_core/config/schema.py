"""The only list of settings: flags, help, file keys, validation and forms derive from it.

Keys marked "inferred" below are deduced from names; where nothing is known the path starts with our own key.
"""

from __future__ import annotations

import functools

from hlprof_core.config.bracket_list import MAX_COUNTERS
from hlprof_core.config.setting import ENABLE, GENERAL, HOST, HW, OWN, Setting
from hlprof_core.config.unit_tree import GENERATIONS, UnitTree, unit_tree
from hlprof_core.config.value_kind import BMON, FOLDER, MEBIBYTES, NUMBER, ON_OFF, ON_OFF_ALL, RANGE, SESSION_NAME, SPMU, TEXT, Choice
from hlprof_core.errors import UnknownName

TARGET, SESSION, WHEN, OUTPUT, HOST_SECTION, HARDWARE = (
    "Target",
    "Session and file names",
    "When to record",
    "Outputs",
    "Host",
    "Hardware trace",
)
SECTIONS = (TARGET, SESSION, WHEN, OUTPUT, HOST_SECTION, HARDWARE)

DEFAULT_PHASE, ENQ, MULTI_ENQ, DEVICE_ACQ, MEM, PROFILE_API = "default", "enq", "multi-enq", "device-acq", "mem", "profileApi"
PHASES = (DEFAULT_PHASE, ENQ, MULTI_ENQ, DEVICE_ACQ, MEM, PROFILE_API)
# The values of the automatic phases were never seen in a file: the command line's words are stored, likely other spellings are read.
PHASE_ALIASES = {
    "multiEnq": MULTI_ENQ,
    "multi_enq": MULTI_ENQ,
    "deviceAcq": DEVICE_ACQ,
    "device_acq": DEVICE_ACQ,
    "profile-api": PROFILE_API,
    "api": PROFILE_API,
}
BMON_DOC = (
    "Four groups: monitors of each unit, what they measure (bw, lat, out), two window lengths in cycles, address filters; quote it in "
    "the shell. What the last two mean is deduced from the driver."
)
SPMU_DOC = (
    f"Two groups: event ids (at most {MAX_COUNTERS}), then cycles between samples and whether reading clears the counters; "
    "quote it in the shell."
)
DEFAULT_BUFFER = 0x8000000
DEFAULT_RANGE = "1-2"

_GENERAL = "generalOptions"
_PARSE = "parseOptions"
_ANALYZER = (HW, _PARSE, "traceAnalyzer")


def _invocation_output(name: str, doc: str) -> Setting:
    return Setting(
        f"invoc.{name}",
        (HW, _PARSE, "outputPerInvocation", name),
        ON_OFF,
        False,
        f"{name} per invocation",
        doc,
        OUTPUT,
        member_of=("invoc", name),
        is_advanced=name not in ("hltv", "json", "csv"),
    )


def _api_group(name: str) -> Setting:
    doc = f"Record calls of the {name} interface."
    return Setting(f"host.api.{name}", (HOST, "api_group", name), ON_OFF, True, f"{name} calls", doc, HOST_SECTION, is_advanced=True)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "hw.arch",
        (HW, _GENERAL, "arch"),
        Choice(GENERATIONS, nothing="(the device present)"),
        "",
        "Target generation",
        "Which generation is profiled; as a bare switch too: --gaudi, --gaudi2, --gaudi3. Without it: the device that is there.",
        TARGET,
        ("c", "chip"),
        is_kept=True,
    ),
    Setting(
        "session.name",
        (GENERAL, "session"),
        SESSION_NAME,
        "default_profiling",
        "Session name",
        "First part of the file names; a # in it asks for a time stamp.",
        SESSION,
        ("s", "session-name"),
    ),
    Setting(
        "session.outdir",
        (GENERAL, "outdir"),
        FOLDER,
        ".",
        "Output folder",
        "Where the files go; made when missing.",
        SESSION,
        ("o", "output-dir"),
    ),
    Setting(
        "session.add_pid",
        (GENERAL, "addPid"),
        ON_OFF,
        False,
        "Add process id to name",
        "Process id in the names of merged .json and .csv files; .hltv files always have it.",
        SESSION,
        ("add-pid",),
    ),
    # Inferred key: only the option and its label are public.
    Setting(
        "session.add_pci",
        (GENERAL, "addPci"),
        ON_OFF,
        False,
        "Add pci bus ID to name",
        "PCI bus id as last part of the names of hardware trace files.",
        SESSION,
        ("add-pci",),
    ),
    Setting(
        "hw.phase",
        (HW, _GENERAL, "profilePhase"),
        Choice(PHASES, PHASE_ALIASES),
        DEFAULT_PHASE,
        "Phase",
        "default: one trace over the range (the first two launches); enq: every launch of the range by itself; "
        "multi-enq: one trace from the first to the last launch of the range; device-acq: from device acquire to release; "
        "mem: every copy of the range; profileApi: sessions the program starts.",
        WHEN,
        ("p", "phase"),
    ),
    Setting(
        "hw.range",
        (OWN, "invocationsRange"),
        RANGE,
        DEFAULT_RANGE,
        "Invocation range",
        "Which launches (mem: copies) are traced, counted from 1, ends included.",
        WHEN,
        ("g", "invocations-range"),
    ),
    Setting(
        "hw.buffer_bytes",
        (HW, _GENERAL, "traceBufferSize"),
        MEBIBYTES,
        DEFAULT_BUFFER,
        "Trace buffer",
        "Device memory for the hardware trace in MiB. When it is full, recording stops and what came first is kept.",
        WHEN,
        ("b", "buffer-size"),
        is_kept=True,
    ),
    Setting(
        "hw.buffer_location",
        (HW, _GENERAL, "traceBufferLocation"),
        TEXT,
        "",
        "Trace buffer location",
        "Where the trace buffer lies; files of the vendor's users say host.",
        WHEN,
        is_advanced=True,
    ),
    Setting(
        "merged.hltv",
        (HOST, "output", "hltv"),
        ON_OFF,
        True,
        "Merged .hltv",
        "Write the merged file as .hltv.",
        OUTPUT,
        member_of=("merged", "hltv"),
    ),
    Setting(
        "merged.json",
        (HOST, "output", "json"),
        ON_OFF,
        False,
        "Merged .json",
        "Write the merged file as .json.",
        OUTPUT,
        member_of=("merged", "json"),
    ),
    Setting(
        "merged.csv",
        (HOST, "output", "csv"),
        ON_OFF,
        False,
        "Merged .csv",
        "Write the merged file as .csv.",
        OUTPUT,
        member_of=("merged", "csv"),
    ),
    _invocation_output("hltv", "Write each invocation's hardware trace as .hltv."),
    _invocation_output("json", "Write each invocation's hardware trace as .json."),
    _invocation_output("csv", "Write each invocation's hardware events as .csv."),
    _invocation_output("binary", "Keep each invocation's raw trace."),
    _invocation_output("text", "Write each invocation as text."),
    _invocation_output("log", "Write each invocation to the log."),
    _invocation_output("hltvWithHost", "Write each invocation as .hltv with the host's calls."),
    _invocation_output("dbgInfo", "Write the debug information of each invocation."),
    Setting(
        "output.json_compressed",
        (OWN, "jsonCompressed"),
        ON_OFF_ALL,
        "off",
        "Compressed JSON",
        "Write the merged file (all: those of invocations too) as .json.gz.",
        OUTPUT,
        ("json-compressed",),
        is_advanced=True,
    ),
    # Inferred: the switch shows up as this key in files that the vendor's tool wrote.
    Setting(
        "analyzer.json",
        (*_ANALYZER, "traceAnalyzerJson"),
        ON_OFF,
        False,
        "Trace analyzer",
        "Analyse the nodes and put the table into the .hltv.",
        OUTPUT,
        ("trace-analyzer",),
    ),
    Setting(
        "analyzer.csv",
        (*_ANALYZER, "traceAnalyzerCsv"),
        ON_OFF,
        False,
        "Trace analyzer as .csv",
        "Write the table of nodes as .csv.",
        OUTPUT,
        ("trace-analyzer-csv",),
    ),
    Setting(
        "analyzer.xlsx",
        (*_ANALYZER, "traceAnalyzerXlsx"),
        ON_OFF,
        False,
        "Trace analyzer as .xlsx",
        "Write the table of nodes as a spreadsheet.",
        OUTPUT,
        ("trace-analyzer-xlsx",),
    ),
    Setting(
        "analyzer.enable",
        (*_ANALYZER, "enable"),
        ON_OFF,
        True,
        "Trace analyzer allowed",
        "Off: no analysis at all.",
        OUTPUT,
        is_advanced=True,
    ),
    Setting("host.enable", (HOST, ENABLE), ON_OFF, True, "Host profiler", "Record the host's API calls.", HOST_SECTION, ("host",)),
    Setting(
        "host.start_disabled",
        (HOST, "start_disabled"),
        ON_OFF,
        False,
        "Host profiler starts with the API",
        "Record host calls only within sessions that the program starts; goes with the profileApi phase.",
        HOST_SECTION,
        is_advanced=True,
    ),
    _api_group("SYNAPSE"),
    _api_group("HLTHUNK"),
    _api_group("HCCL"),
    _api_group("SCAL"),
    Setting(
        "host.performance_mode",
        (HOST, "performance_mode"),
        ON_OFF,
        False,
        "Host performance mode",
        "Seen in the vendor's files; its effect is not public.",
        HOST_SECTION,
        is_advanced=True,
    ),
    Setting("hw.enable", (HW, ENABLE), ON_OFF, True, "Hardware trace", "Record what the engines do.", HARDWARE, ("hw-trace",)),
    Setting(
        "hw.fuser",
        (HW, _PARSE, "addFuserMetadata"),
        ON_OFF,
        False,
        "Fuser metadata",
        "Tell of which operations a fused node was made.",
        HARDWARE,
        ("fuser",),
    ),
    Setting(
        "hw.flows",
        (HW, _PARSE, "addEnqueuesFlow"),
        ON_OFF,
        True,
        "Enqueue arrows",
        "Arrows from the host's launch to the device's work.",
        HARDWARE,
        is_advanced=True,
    ),
    Setting(
        "hw.null_descriptors",
        (HW, _PARSE, "showNullDescs"),
        ON_OFF,
        False,
        "Null descriptors",
        "Show the firmware's null descriptors.",
        HARDWARE,
        is_advanced=True,
    ),
    Setting(
        "hw.skip_parse",
        (HW, _PARSE, "skipParse"),
        ON_OFF,
        False,
        "Skip decoding",
        "Store the raw trace; decoding is done later.",
        HARDWARE,
        ("skipParse",),
    ),
    Setting(
        "hw.merge_with_host",
        (HW, _PARSE, "mergeWithHost"),
        ON_OFF,
        True,
        "Merge into host profiler",
        "Off: the hardware trace gets a file of its own.",
        HARDWARE,
        is_advanced=True,
    ),
    Setting(
        "hw.recipe_busy",
        (OWN, "recipeBusy"),
        ON_OFF,
        False,
        "Busy time of recipes",
        "One event named Busy for each launch instead of one for each node.",
        HARDWARE,
        is_advanced=True,
    ),
    Setting(
        "hw.memory_reuse",
        (OWN, "memoryReuse"),
        ON_OFF,
        False,
        "Memory reuse",
        "An option people type; its effect is not public.",
        HARDWARE,
        ("memory-reuse",),
        is_advanced=True,
    ),
    Setting(
        "hw.stm",
        (OWN, "stm"),
        TEXT,
        "",
        "System trace",
        "An option people type; its argument is not public.",
        HARDWARE,
        ("stm",),
        is_advanced=True,
    ),
    Setting(
        "hw.cs_advanced",
        (HW, "archProfileUnits", "gaudi3", "CS", "Gaudi3CSAdvancedProfiling"),
        NUMBER,
        0,
        "Advanced cache profiling",
        "More counters of the cache slices.",
        HARDWARE,
        generation="gaudi3",
        is_kept=True,
        is_advanced=True,
    ),
)


def unit_settings(tree: UnitTree) -> list[Setting]:
    """The unit switches and bracket lists of one generation."""
    arch, section = tree.generation, f"Units of {tree.title}"
    result = []
    for group in tree.groups:
        path = (HW, "archProfileUnits", arch, group.name)
        flags = (group.group_flag,) if group.group_flag else ()
        more = f" and {len(group.units) - 2} more" if len(group.units) > 2 else ""
        doc = f"Trace this class: {', '.join(group.units[:2]) or group.name}{more}."
        result.append(
            Setting(f"units.{arch}.{group.name}", (*path, "enable"), ON_OFF, group.is_on, group.title, doc, section, flags, generation=arch)
        )
        for unit, flag in zip(group.units, group.flags, strict=True):
            identity, flags = f"units.{arch}.{group.name}.{unit}", (flag,) if flag else ()
            doc = f"Trace unit {unit}; its class must be on."
            result.append(
                Setting(
                    identity,
                    (*path, unit, "enable"),
                    ON_OFF,
                    True,
                    unit,
                    doc,
                    section,
                    flags,
                    generation=arch,
                    is_kept=not group.is_on,
                    is_advanced=True,
                )
            )
    for entry in tree.lists:
        kind = BMON if entry.kind == "bmon" else SPMU
        path = (OWN, "units", arch, entry.flag)
        doc = BMON_DOC if kind is BMON else SPMU_DOC
        result.append(
            Setting(
                f"units.{arch}.{entry.flag}", path, kind, "", entry.title, doc, section, (entry.flag,), generation=arch, is_advanced=True
            )
        )
    return result


@functools.cache
def all_settings() -> dict[str, Setting]:
    """Every setting of every generation by id."""
    listed = list(SETTINGS)
    for generation in GENERATIONS:
        listed += unit_settings(unit_tree(generation))
    return {setting.id: setting for setting in listed}


_COMMON = {setting.id: setting for setting in SETTINGS}


def setting(setting_id: str) -> Setting:
    """The setting of that id, or ``UnknownName``."""
    found = _COMMON.get(setting_id) or all_settings().get(setting_id)
    if found is None:
        raise UnknownName("setting", setting_id, all_settings())
    return found


def list_members(list_flag: str) -> dict[str, Setting]:
    """The switches behind ``--merged`` or ``--invoc`` by their word."""
    return {s.member_of[1]: s for s in SETTINGS if s.member_of and s.member_of[0] == list_flag}


LIST_FLAGS = tuple(dict.fromkeys(s.member_of[0] for s in SETTINGS if s.member_of))
