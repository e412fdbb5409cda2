"""Litmus tests: families of small kernels, one for each way to write a flag and each way to wait for it.

What is expected follows from the scope of the two fences alone ("Memory Consistency Model" of the PTX ISA): a
plain read behind a plain write races where the writer's side does not reach the reader (WG114), and comes too
early where the reader's side does not (WG182).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from support.programs.labelled import REPOSITORY, compile_all, run_all

SCOPES = ("nothing", "block", "device")  # each contains those before it
DEVICE, BLOCK = "cuda::thread_scope_device", "cuda::thread_scope_block"


def flag(call: str, order: str, scope: str = DEVICE) -> str:
    arguments = call.replace(")", f"cuda::memory_order_{order})", 1)
    return f"cuda::atomic_ref<int, {scope}>(*flag).{arguments}"


# Ways to set the flag → the code, and the scope in which what came before is released.
WRITERS = {
    "volatile": ("*(volatile int*)flag = 1;", "nothing"),
    "relaxed": (flag("store(1, )", "relaxed") + ";", "nothing"),
    "exchange": ("atomicExch(flag, 1);", "nothing"),
    "add": ("atomicAdd(flag, 1);", "nothing"),
    "acquiring_add": (flag("fetch_add(1, )", "acquire") + ";", "nothing"),
    "fence_too_late": ("*(volatile int*)flag = 1; __threadfence();", "nothing"),
    "warp_barrier": ("__syncwarp(); *(volatile int*)flag = 1;", "nothing"),
    "block_fence": ("__threadfence_block(); *(volatile int*)flag = 1;", "block"),
    "block_release": (flag("store(1, )", "release", BLOCK) + ";", "block"),
    "fence": ("__threadfence(); *(volatile int*)flag = 1;", "device"),
    "system_fence": ("__threadfence_system(); *(volatile int*)flag = 1;", "device"),
    "fence_and_exchange": ("__threadfence(); atomicExch(flag, 1);", "device"),
    "release": (flag("store(1, )", "release") + ";", "device"),
    "sequential": (flag("store(1, )", "seq_cst") + ";", "device"),
    "releasing_add": (flag("fetch_add(1, )", "acq_rel") + ";", "device"),
}
# Ways to wait for it → the code, and the scope in which what comes behind has acquired.
READERS = {
    "volatile": ("while (*(volatile int*)flag == 0) {}", "nothing"),
    "relaxed": (f"while ({flag('load()', 'relaxed')} == 0) {{}}", "nothing"),
    "fence_too_early": ("__threadfence(); while (*(volatile int*)flag == 0) {}", "nothing"),
    "block_fence": ("while (*(volatile int*)flag == 0) {} __threadfence_block();", "block"),
    "fence": ("while (*(volatile int*)flag == 0) {} __threadfence();", "device"),
    "system_fence": ("while (*(volatile int*)flag == 0) {} __threadfence_system();", "device"),
    "acquire": (f"while ({flag('load()', 'acquire')} == 0) {{}}", "device"),
    "sequential": (f"while ({flag('load()', 'seq_cst')} == 0) {{}}", "device"),
    "atomic": ("while (atomicAdd(flag, 0) == 0) {}", "device"),  # trusted
    "compare_and_swap": ("while (atomicCAS(flag, 1, 1) == 0) {}", "device"),  # trusted
    "exchange": ("while (atomicExch(flag, 0) == 0) {}", "device"),  # trusted
}
# Ways to take a lock and to give it back → the same.
TAKES = {
    "compare_and_swap": ("while (atomicCAS(flag, 0, 1) != 0) {}", "nothing"),
    "exchange": ("while (atomicExch(flag, 1) != 0) {}", "nothing"),
    "relaxed": (f"while ({flag('exchange(1, )', 'relaxed')} != 0) {{}}", "nothing"),
    "block_fence": ("while (atomicCAS(flag, 0, 1) != 0) {} __threadfence_block();", "block"),
    "fence": ("while (atomicCAS(flag, 0, 1) != 0) {} __threadfence();", "device"),
    "exchange_and_fence": ("while (atomicExch(flag, 1) != 0) {} __threadfence();", "device"),
    "acquire": (f"while ({flag('exchange(1, )', 'acquire')} != 0) {{}}", "device"),
}
GIVES = {
    "exchange": ("atomicExch(flag, 0);", "nothing"),
    "volatile": ("*(volatile int*)flag = 0;", "nothing"),
    "relaxed": (flag("store(0, )", "relaxed") + ";", "nothing"),
    "fence_too_late": ("atomicExch(flag, 0); __threadfence();", "nothing"),
    "block_fence": ("__threadfence_block(); atomicExch(flag, 0);", "block"),
    "fence": ("__threadfence(); atomicExch(flag, 0);", "device"),
    "fence_and_volatile": ("__threadfence(); *(volatile int*)flag = 0;", "device"),
    "release": (flag("store(0, )", "release") + ";", "device"),
}


@dataclass(frozen=True)
class Litmus:
    name: str
    head: str
    roles: tuple[str, ...]  # what thread 0 of each role does
    code: str  # "": nothing is to be found

    def text(self) -> str:
        place = "blockIdx.x" if "block 32" in self.head else "threadIdx.x / 32"
        does = "".join(f"  if ({place} == {n}) {{ {role} }}\n" for n, role in enumerate(self.roles))
        pointers = "int *const one = zero, *const two = zero + 8, *const data = zero + 32;"
        opening = "__global__ void test(const int* in, int* out, int* zero, int n) {"
        lane = "if (threadIdx.x % 32 != 0) return;"
        return f"//: {self.head}\n#include <cuda/atomic>\n{opening}\n  {pointers}\n  {lane}\n{does}}}\n"


def reaches(scope: str, needed: str) -> bool:
    return SCOPES.index(scope) >= SCOPES.index(needed)


def message_passing() -> Iterator[Litmus]:
    """One writes data and sets a flag; the other one waits for the flag and reads the data."""
    for needed, head in (("device", "grid 2 block 32"), ("block", "grid 1 block 64")):
        for how, (write, released) in WRITERS.items():
            for wait, (read, acquired) in READERS.items():
                code = "WG114" if not reaches(released, needed) else ""
                code = code or ("WG182" if not reaches(acquired, needed) else "")
                roles = (f"*data = in[5]; {write}", f"{read} out[0] = *data;")
                texts = tuple(role.replace("flag", "one") for role in roles)
                yield Litmus(f"passing_{needed}_{how}__{wait}", head, texts, code)


def relaxed_words() -> Iterator[Litmus]:
    """The data are relaxed, too: they race with nothing, but come late without a fence before the flag."""
    word = flag("store(in[5], )", "relaxed").replace("*flag", "*data") + ";"
    read = "out[0] = " + flag("load()", "relaxed").replace("*flag", "*data") + ";"
    for how, (write, released) in WRITERS.items():
        for wait, (waits, _) in READERS.items():
            texts = tuple(role.replace("flag", "one") for role in (f"{word} {write}", f"{waits} {read}"))
            code = "" if reaches(released, "device") else "WG114"
            yield Litmus(f"relaxed_{how}__{wait}", "grid 2 block 32", texts, code)


def hand_on() -> Iterator[Litmus]:
    """A block in between waits for one flag and sets another one: what it has seen has to go with it."""
    for wait, (read, acquired) in READERS.items():
        for how, (write, released) in WRITERS.items():
            fences = "} __threadfence" in read  # between the two flags
            through = [released, acquired if fences else "nothing"]
            # A store of the scope of the block tells no other block anything.
            whole = BLOCK not in write and any(reaches(scope, "device") for scope in through)
            last = "while (*(volatile int*)two == 0) {} __threadfence(); out[0] = *data;"
            roles = (
                "*data = in[5]; __threadfence(); *(volatile int*)one = 1;",
                read.replace("flag", "one") + write.replace("flag", "two"),
                last,
            )
            yield Litmus(f"hand_on_{wait}__{how}", "grid 3 block 32", roles, "" if whole else "WG114")


def locks() -> Iterator[Litmus]:
    """Each block adds to a word that a lock guards."""
    for how, (take, acquired) in TAKES.items():
        for back, (give, released) in GIVES.items():
            role = f"{take} *data += in[3]; {give}".replace("flag", "one")
            whole = reaches(acquired, "device") and reaches(released, "device")
            name = f"lock_{how}__{back}"
            yield Litmus(name, "grid 3 block 32", (role,) * 3, "" if whole else "WG114")


ACCESSES = {
    "plain": ("{} = 1;", "{}"),
    "relaxed": (flag("store(1, )", "relaxed") + ";", flag("load()", "relaxed")),
    "sequential": (flag("store(1, )", "seq_cst") + ";", flag("load()", "seq_cst")),
    "atomic": ("atomicExch(&{}, 1);", "atomicAdd(&{}, 0)"),
    "block_atomic": ("atomicExch_block(&{}, 1);", "atomicAdd_block(&{}, 0)"),
}


def shapes() -> Iterator[Litmus]:
    """Accesses of two words of which none says that the other one is there: only their kind decides."""
    for kind, (store, load) in ACCESSES.items():
        set_one, set_two = (store.replace("*flag", word).replace("{}", word) for word in ("*one", "*two"))
        one, two = (load.replace("*flag", word).replace("{}", word) for word in ("*one", "*two"))
        pair = "const int a = {}, b = {}; out[{}] = a + 2 * b;"
        look = (pair.format(one, two, 0), pair.format(two, one, 1))
        code = "WG114" if kind in ("plain", "block_atomic") else ""
        for name, roles in {
            "store_buffering": (f"{set_one} out[0] = {two};", f"{set_two} out[1] = {one};"),
            "load_buffering": (
                f"const int a = {two}; {set_one} out[0] = a;",
                f"const int a = {one}; {set_two} out[1] = a;",
            ),
            "independent_reads": (set_one, set_two, *look),
            "coherence": (set_one, pair.format(one, one, 0)),
        }.items():
            yield Litmus(f"{name}_{kind}", f"grid {len(roles)} block 32", roles, code)


TESTS = [*message_passing(), *relaxed_words(), *hand_on(), *locks(), *shapes()]


pytestmark = pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Name → codes."""
    folder = tmp_path_factory.mktemp("litmus")
    kernels = folder / "kernels"
    kernels.mkdir()
    for test in TESTS:
        (kernels / f"{test.name}.cu").write_text(test.text())
    files = sorted(kernels.glob("*.cu"))
    outcomes = run_all(files, *compile_all(files, folder), 1)
    return {name: {row["code"] for row in outcome.findings} for name, outcome in outcomes.items()}


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_scopes_decide(test: Litmus, found: dict[str, set[str]]) -> None:
    assert found[test.name] == ({test.code} if test.code else set()), test.text()


def test_both_verdicts_are_common() -> None:
    faulty = sum(bool(test.code) for test in TESTS)
    assert len(TESTS) > 400 and faulty > 100 and len(TESTS) - faulty > 100
