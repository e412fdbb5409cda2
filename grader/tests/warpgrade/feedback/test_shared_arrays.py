from support import sample_results
from warpgrade.feedback import shared_arrays

TEXT = """constexpr int TILE = 128;
#define HUGE 9**9**9
#define HALF 64
constexpr int ROWS = TILE + 1;  // padded
__global__ void f() {
  __shared__ float big[ROWS][TILE];
  __shared__ int few[HALF];
  __shared__ Row ring[7];
}
"""


def test_the_arrays_and_their_bytes_are_named_and_what_would_fit() -> None:
    words = shared_arrays.advice(sample_results.submission("bob", TEXT), 49152)
    assert words.startswith("big in line 6 takes 66,048 bytes and few in line 7 takes 256 bytes; ")
    assert "12,288 floats, or 110 × 110 of them" in words


def test_without_a_known_size_nothing_is_said() -> None:
    unknown = "__shared__ Row ring[7];\n__shared__ float tile[SIZE];\n// __shared__ float old[7];\n"
    assert shared_arrays.advice(sample_results.submission("bob", unknown), 49152) == ""
    assert shared_arrays.advice(None, 49152) == ""
