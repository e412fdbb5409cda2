from pathlib import Path

from warpgrade.feedback import metrics
from warpgrade.report import html


def test_the_emulators_table_is_read_in_its_order() -> None:
    found = metrics.meanings(html.METRICS)
    assert found["smsp__inst_executed_op_barrier.sum"] == "warps that arrived at a block barrier"
    assert next(iter(found)) == "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    assert len(found) == html.METRICS.read_text().count("\nMETRIC(")


def test_no_table_no_meanings(tmp_path: Path) -> None:
    assert metrics.meanings(tmp_path / "none") == {}
