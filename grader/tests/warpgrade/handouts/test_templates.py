from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.handouts import templates


def test_a_text_of_a_style_sheet_keeps_its_letters_and_ends_no_string() -> None:
    environment = templates.environment(here(), messages.load(here().root, "de"))
    style = environment.from_string('"{{ text | css }}"').render(text='Übung "2" & <b>\\')
    assert style == r'"Übung \22 2\22  \26  \3c b\3e \5c "'
