"""A real Slurm on this machine: a controller and two node daemons on loopback, each with two stand-in GPUs.

It needs root, and Debian's packages slurmctld, slurmd and slurm-client. It has no accounting and no cgroups.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

NODES = ("n1", "n2")
PACKAGES = "slurmctld slurmd slurm-client"
_CONF = """\
ClusterName=warpgrade
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={root}/ctld
SlurmdSpoolDir={root}/slurmd.%n
SlurmctldPidFile={root}/ctld.pid
SlurmdPidFile={root}/slurmd.%n.pid
SlurmctldLogFile={root}/ctld.log
SlurmdLogFile={root}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=30
SlurmctldTimeout=30
MessageTimeout=10
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=DEFAULT CPUs=2 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]}
PartitionName=grade Nodes=ALL Default=YES MaxTime=60 State=UP
"""


def why_not() -> str:
    """Why it cannot be started here; empty if it can."""
    if any(_tool(name) is None for name in ("slurmctld", "slurmd", "sbatch")):
        return f"Slurm is not installed. Type: sudo apt-get install {PACKAGES}"
    return "" if os.geteuid() == 0 else "Slurm's daemons need root here. Type: sudo make test-slurm"


def _tool(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


class LoopbackSlurm:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("ctld", *(f"slurmd.{node}" for node in NODES), "dev"):
            (root / name).mkdir(parents=True, exist_ok=True)
        devices = [root / "dev" / f"gpu{number}" for number in range(2)]
        for device in devices:
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        host = socket.gethostname().partition(".")[0]
        (root / "slurm.conf").write_text(_CONF.format(root=root, host=host, ports=_free_ports(3)))
        (root / "gres.conf").write_text(f"AutoDetect=off\nName=gpu File={root}/dev/gpu[0-1]\n")

    @property
    def environment(self) -> dict[str, str]:
        path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        return {**os.environ, "SLURM_CONF": str(self.root / "slurm.conf"), "PATH": path}

    def start(self, name: str) -> None:
        """ "controller" or a node."""
        program = ["slurmctld"] if name == "controller" else ["slurmd", "-N", name]
        with (self.root / f"{name}.out").open("ab") as out:
            self._daemons[name] = subprocess.Popen(
                [*program, "-D"], env=self.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip

    def kill(self, name: str) -> None:
        """The daemon, as kill -9 does; its tasks live on."""
        daemon = self._daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def kill_node(self, node: str) -> None:
        """The daemon and every process of its tasks, as a power cut does."""
        self.kill(node)
        for process in self._processes_of(node):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _processes_of(self, node: str) -> list[int]:
        """Job steps, whose daemon forked them with our configuration, and what they started."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal():
                continue
            with contextlib.suppress(OSError):
                variables = (entry / "environ").read_bytes().split(b"\0")
                is_ours = f"SLURM_CONF={self.root / 'slurm.conf'}".encode() in variables
                if is_ours and f"SLURMD_NODENAME={node}".encode() in variables:
                    found.append(int(entry.name))
        return found

    def ask(self, *command: str) -> str:
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
        return ran.stdout + ran.stderr

    def wait_until_idle(self) -> None:
        deadline = time.monotonic() + 40
        while (states := self.ask("sinfo", "-h", "-N", "-o", "%N %t").split()) != [
            "n1",
            "idle",
            "n2",
            "idle",
        ]:
            if time.monotonic() > deadline:
                raise AssertionError(f"the nodes do not come up: {states}; see {self.root}")
            time.sleep(0.5)

    def stop(self) -> None:
        self.ask("scancel", "--user=root")
        for name in list(self._daemons):
            self.kill(name)
        for node in NODES:
            for process in self._processes_of(node):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextlib.contextmanager
def running(root: Path) -> Iterator[LoopbackSlurm]:
    slurm = LoopbackSlurm(root)
    for name in ("controller", *NODES):
        slurm.start(name)
    try:
        slurm.wait_until_idle()
        yield slurm
    finally:
        slurm.stop()
