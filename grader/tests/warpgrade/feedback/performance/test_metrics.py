from pathlib import Path

from warpgrade.feedback.performance import metrics


def test_the_emulators_table_is_read_in_its_order() -> None:
    found = metrics.meanings(metrics.table())
    assert found["smsp__inst_executed_op_barrier.sum"] == "warps that arrived at a block barrier"
    assert next(iter(found)) == "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    assert len(found) == metrics.table().read_text().count("\nMETRIC(")


def test_no_table_no_meanings(tmp_path: Path) -> None:
    assert metrics.meanings(tmp_path / "none") == {}
