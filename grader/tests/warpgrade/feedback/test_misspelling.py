from warpgrade.feedback import misspelling
from warpgrade.records import Diagnostic

TEXT = "void f(const float* image, float* result) {\n  result[0] = imgae[0];\n}\n"


def of(*quoted: str, severity: str = "error", text: str = TEXT) -> str:
    return misspelling.remedy(Diagnostic(severity, "no", "kernel.cu", 2, text.split("\n")[1], quoted), text)


def test_a_name_like_one_of_the_file_is_asked_for() -> None:
    assert of("imgae") == "Did you mean image?"


def test_a_name_that_stands_elsewhere_or_is_like_nothing_is_not() -> None:
    assert of("result") == "" and of("imgae", "float") == "" and of("imgae", severity="warning") == ""
    assert of("zzz", text="float image;\nzzz = 1;\n") == ""
